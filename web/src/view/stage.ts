/** Canvas, camera and light. A picture is drawn only when somebody asks for one, and at most once a frame of the screen. */

import {
  type Box3,
  DirectionalLight,
  HemisphereLight,
  BasicShadowMap,
  PCFShadowMap,
  PerspectiveCamera,
  Scene,
  SRGBColorSpace,
  Vector3,
  WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { distanceToSee, middle, SIDES, type Triple } from "./camera_places";
import type { Palette } from "./colours";
import { Pace } from "./pace";
import { drawsInSoftware } from "./software";
import { Sparing } from "./sparing";

const REST = 280; // ms without a new picture after which the last one is drawn as finely as the screen can show
const TOUCHES = ["pointerdown", "pointerup", "pointercancel", "keydown", "keyup", "blur"] as const;
const ASIDE = 38; // px that the middle is moved to the left: the buttons are on the right
export type Side = keyof typeof SIDES;

/** This browser draws nothing in three dimensions. */
export class NoWebGL extends Error {}

/** What is played on the stage. */
export interface Play {
  /** Put everything in its place: a picture is about to be drawn. */
  before(): void;
  after(): void;
  /** What a view must show [m, world]. */
  bounds(): Box3;
}

export class Stage {
  readonly scene = new Scene();
  readonly camera = new PerspectiveCamera(30, 1, 0.01, 100);
  readonly renderer: WebGLRenderer;
  /** Whether the processor draws, not a graphics card: then everything is kept cheap while it moves. */
  readonly modest = drawsInSoftware();
  private readonly sparing = new Sparing(); // asked where software draws
  readonly pace = new Pace(this.modest ? Math.min(1, window.devicePixelRatio) : window.devicePixelRatio);
  /** Whether the picture that is drawn now has to be cheap: without shadows. */
  hurried = false;
  frames = 0;
  width = 1;
  height = 1;
  private readonly controls: OrbitControls;
  private readonly sky = new HemisphereLight();
  private readonly key = new DirectionalLight();
  private readonly rim = new DirectionalLight();
  private readonly sizes: ResizeObserver;
  private readonly lookAt = new Vector3();
  private side: Side | null = "fit"; // null once a person has turned the view
  private asked = 0; // the animation frame that is asked for
  private wanted = false;
  private shadowOld = true;
  private reach = 10;
  private drawnAt = 0;
  private resting = 0;

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly play: Play,
  ) {
    const context = canvas.getContext("webgl2", { alpha: true, antialias: !this.modest, premultipliedAlpha: true, powerPreference: "high-performance" });
    if (!context) throw new NoWebGL();
    this.renderer = new WebGLRenderer({ canvas, context });
    this.renderer.outputColorSpace = SRGBColorSpace;
    this.renderer.setClearColor(0, 0);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = this.modest ? BasicShadowMap : PCFShadowMap;
    this.renderer.shadowMap.autoUpdate = false;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", this.ask);
    this.controls.addEventListener("start", this.taken);
    this.light();
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(canvas);
    for (const what of TOUCHES) window.addEventListener(what, this.touched, true);
    canvas.addEventListener("webglcontextlost", keepContext);
    canvas.addEventListener("webglcontextrestored", this.ask);
  }

  /** A picture is wanted; it comes with the next frame of the screen. */
  readonly ask = (): void => {
    this.wanted = true;
    if (!this.asked) this.asked = requestAnimationFrame(this.frame);
  };

  /** The robot moved: its shadow too. */
  moved(): void {
    this.shadowOld = true;
    this.ask();
  }

  dress(palette: Palette): void {
    this.sky.color.set(palette.sky);
    this.sky.groundColor.set(palette.earth);
    this.sky.intensity = palette.ambient;
    this.key.intensity = palette.key;
    this.rim.intensity = palette.rim;
    this.ask();
  }

  /** Look from a side at everything there is. */
  look(side: Side): void {
    this.side = side;
    const { min, max } = this.play.bounds();
    const box = { min: min.toArray() as unknown as Triple, max: max.toArray() as unknown as Triple };
    const aspect = Math.max(0.3, (this.width - 2 * ASIDE) / this.height);
    const away = distanceToSee(box, SIDES[side], (this.camera.fov * Math.PI) / 180, aspect);
    this.controls.target.fromArray(middle(box));
    this.camera.position.fromArray(SIDES[side]).multiplyScalar(away).add(this.controls.target);
    this.controls.minDistance = 0.05 * away;
    this.controls.maxDistance = 8 * away;
    this.controls.update();
    this.ask();
  }

  /** Let the light fall on a box, with its shadow on the ground. Nothing to be seen is further than `reach` [m] from its middle. */
  lightOn(box: Box3, reach: number): void {
    this.reach = reach;
    box.getCenter(this.lookAt);
    const size = box.getSize(new Vector3()).length();
    this.key.target.position.copy(this.lookAt);
    this.key.position.set(0.55, -0.75, 1.7).multiplyScalar(size).add(this.lookAt);
    this.rim.target.position.copy(this.lookAt);
    this.rim.position.set(-1, 0.9, 0.5).multiplyScalar(size).add(this.lookAt);
    const { camera } = this.key.shadow;
    camera.left = camera.bottom = -size;
    camera.right = camera.top = size;
    camera.near = 0.1 * size;
    camera.far = 4 * size;
    camera.updateProjectionMatrix();
    this.moved();
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    window.clearTimeout(this.resting);
    for (const what of TOUCHES) window.removeEventListener(what, this.touched, true);
    this.sizes.disconnect();
    this.canvas.removeEventListener("webglcontextlost", keepContext);
    this.canvas.removeEventListener("webglcontextrestored", this.ask);
    this.controls.dispose();
    this.key.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
  }

  private readonly taken = (): void => {
    this.side = null;
  };

  /** Once more after every picture: how long until then is how long it took. */
  private readonly frame = (now: number): void => {
    this.asked = 0;
    if (this.drawnAt) {
      const took = now - this.drawnAt;
      this.pace.took(took);
      this.sparing.took(took);
      this.drawnAt = 0;
    }
    if (!this.wanted) return;
    if (this.modest && !this.sparing.may(now)) {
      this.asked = requestAnimationFrame(this.frame);
      return;
    }
    this.drawQuickly();
    this.drawnAt = now;
    this.sparing.drew(now);
    this.asked = requestAnimationFrame(this.frame);
  };

  /** A picture of what may move on; when nothing more is wanted, a finer one comes. */
  private drawQuickly(): void {
    const ratio = this.modest && this.sparing.held ? this.pace.least : this.pace.ratio;
    this.draw(ratio, this.modest && ratio === this.pace.least);
    window.clearTimeout(this.resting);
    if (ratio < this.fine) this.resting = window.setTimeout(this.rest, REST);
  }

  /** Somebody touched the page, or let go: where drawing takes the processor's time, what it answers comes first. */
  private readonly touched = (event: Event): void => {
    if (event.type === "blur") {
      if (event.target === window) this.sparing.releaseAll(); // not where a button lost it to another
      return;
    }
    const what = event instanceof KeyboardEvent ? `key ${event.code}` : `pointer ${(event as PointerEvent).pointerId}`;
    if (event.type !== "pointerdown" && event.type !== "keydown") this.sparing.release(what);
    else if (event.target !== this.canvas) this.sparing.press(what, performance.now());
  };

  private readonly rest = (): void => {
    if (this.wanted) return;
    if (this.modest && !this.sparing.mayRest(performance.now(), REST)) {
      this.resting = window.setTimeout(this.rest, REST);
      return;
    }
    this.drawnAt = 0;
    this.draw(this.fine, false);
  };

  /** For a picture that stays: software smooths no edges, and so draws more of them. */
  private get fine(): number {
    return this.modest ? 1.5 : this.pace.full;
  }

  private draw(ratio: number, hurried: boolean): void {
    this.wanted = false;
    this.hurried = hurried;
    this.renderer.shadowMap.needsUpdate = this.shadowOld && !hurried;
    this.shadowOld &&= hurried;
    if (this.renderer.getPixelRatio() !== ratio) this.renderer.setPixelRatio(ratio);
    this.focus();
    this.play.before();
    this.renderer.render(this.scene, this.camera);
    this.frames += 1;
    this.play.after();
  }

  /** Near and far as close as can be: software has few bits for depth, and parts of a robot lie close together. */
  private focus(): void {
    const { camera } = this;
    const away = camera.position.distanceTo(this.lookAt);
    camera.near = Math.max(0.03 * camera.position.distanceTo(this.controls.target), away - this.reach);
    camera.far = away + this.reach;
    camera.updateProjectionMatrix();
  }

  private resize(): void {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.camera.aspect = clientWidth / clientHeight;
    this.camera.setViewOffset(clientWidth, clientHeight, ASIDE, 0, clientWidth, clientHeight);
    this.renderer.setSize(clientWidth, clientHeight, false);
    if (this.side) this.look(this.side);
    this.drawQuickly(); // at once: the canvas is empty now
  }

  private light(): void {
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.radius = 4;
    this.key.shadow.bias = -0.001;
    this.key.shadow.normalBias = 0.012;
    this.scene.add(this.sky, this.key, this.key.target, this.rim, this.rim.target);
  }
}

/** Without this the browser never gives it back. */
function keepContext(event: Event): void {
  event.preventDefault();
}
