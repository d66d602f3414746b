/** A link's visible parts melted together: one mesh a colour, and one geometry of all of them for the ghosts. Few meshes are drawn fast. */

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  CylinderGeometry,
  Matrix4,
  Mesh,
  MeshLambertMaterial,
  MeshPhongMaterial,
  MeshStandardMaterial,
  type Material,
  type Object3D,
  SphereGeometry,
} from "three";
import { mergeGeometries, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { URDFLink } from "urdf-loader/src/URDFClasses";

const CREASED = 80_000; // triangles: smoothing more of them takes too long

export interface Shell {
  readonly link: URDFLink;
  readonly meshes: readonly Mesh[]; // hang on the link
  readonly whole: BufferGeometry; // all of it, in the link's frame [m]
}

export type Paint = MeshStandardMaterial | MeshLambertMaterial;

/** One material for each colour of a robot; dull ones where the processor draws. */
export class Paints {
  readonly materials = new Map<string, Paint>();

  constructor(
    private readonly plain: number,
    readonly modest: boolean,
  ) {}

  of(color: Color | null, opacity: number): Paint {
    const key = `${color?.getHexString() ?? "plain"} ${opacity}`;
    let found = this.materials.get(key);
    if (!found) {
      const hue = { color: color ?? this.plain };
      found = this.modest ? new MeshLambertMaterial(hue) : new MeshStandardMaterial({ ...hue, roughness: 0.5, metalness: 0.08 });
      if (opacity < 1) Object.assign(found, { transparent: true, opacity, depthWrite: false });
      this.materials.set(key, found);
    }
    return found;
  }

  /** Of parts that have no colour of their own. */
  repaint(plain: number): void {
    this.materials.get("plain 1")?.color.set(plain);
  }

  dispose(): void {
    for (const material of this.materials.values()) material.dispose();
  }
}

/** Melt what a link shows; null where it shows nothing. Poses of the whole robot must be up to date. */
export function shellOf(link: URDFLink, paints: Paints): Shell | null {
  const visuals = link.children.filter((child) => "isURDFVisual" in child);
  const T_link_world = new Matrix4().copy(link.matrixWorld).invert();
  const byPaint = new Map<Material, BufferGeometry[]>();
  const all: BufferGeometry[] = [];
  const meshes: Mesh[] = [];
  for (const visual of visuals) {
    const painted = hasMaterial(visual);
    visual.traverse((part) => {
      if (!(part instanceof Mesh) || !part.geometry.getAttribute("position")) return;
      const own = ownLook(part);
      const T_link_part = new Matrix4().multiplyMatrices(T_link_world, part.matrixWorld);
      const geometry = plainGeometry(rounded(part, paints.modest), T_link_part, own === null);
      all.push(geometry);
      if (own) meshes.push(withOwnLook(geometry.clone(), part, own)); // what is melted has no pictures
      else {
        const paint = paintOf(part, visual, painted, paints);
        byPaint.set(paint, [...(byPaint.get(paint) ?? []), geometry]);
      }
    });
  }
  for (const [paint, geometries] of byPaint) meshes.push(new Mesh(merged(geometries), paint));
  link.remove(...visuals);
  if (!meshes.length) return null;
  for (const mesh of meshes) mesh.castShadow = true;
  link.add(...meshes);
  return { link, meshes, whole: meshes.length === 1 ? meshes[0]!.geometry : merged(all) };
}

/** urdf-loader's round shapes all have thirty sides: few for a big one on a big screen, many for a processor. Their radius is their scale. */
function rounded(part: Mesh, modest: boolean): BufferGeometry {
  const shape = part.geometry as BufferGeometry;
  const sides = modest ? Math.round(Math.min(40, 12 + 130 * part.scale.x)) : 64;
  if (shape instanceof CylinderGeometry) return new CylinderGeometry(1, 1, 1, sides);
  return shape instanceof SphereGeometry ? new SphereGeometry(1, sides, Math.round(0.6 * sides)) : shape;
}

/** Position, normal and index alone, in the link's frame. Sharp edges are cut where the corners may be others than before. */
function plainGeometry(given: BufferGeometry, T_link_part: Matrix4, cut: boolean): BufferGeometry {
  const triangles = (given.index?.count ?? given.getAttribute("position").count) / 3;
  let plain = new BufferGeometry();
  plain.setAttribute("position", numbersOf(given, "position"));
  if (given.index) plain.setIndex(Array.from(given.index.array));
  if (given.getAttribute("normal")) plain.setAttribute("normal", numbersOf(given, "normal"));
  else if (cut && triangles < CREASED) plain = toCreasedNormals(plain, Math.PI / 5);
  else plain.computeVertexNormals();
  const index = plain.index ? Array.from(plain.index.array) : Array.from({ length: plain.getAttribute("position").count }, (_, number) => number);
  // A mirrored part is turned inside out.
  if (T_link_part.determinant() < 0) for (let at = 0; at + 2 < index.length; at += 3) [index[at], index[at + 1]] = [index[at + 1]!, index[at]!];
  plain.setIndex(index);
  return plain.applyMatrix4(T_link_part);
}

function numbersOf(geometry: BufferGeometry, name: string): BufferAttribute {
  const source = geometry.getAttribute(name);
  const values = new Float32Array(3 * source.count);
  for (let at = 0; at < source.count; at++) {
    values[3 * at] = source.getX(at);
    values[3 * at + 1] = source.getY(at);
    values[3 * at + 2] = source.getZ(at);
  }
  return new BufferAttribute(values, 3);
}

function merged(geometries: BufferGeometry[]): BufferGeometry {
  return geometries.length === 1 ? geometries[0]! : mergeGeometries(geometries);
}

function hasMaterial(visual: Object3D): boolean {
  return ((visual as unknown as { urdfNode: Element | null }).urdfNode?.getElementsByTagName("material").length ?? 0) > 0;
}

/** A picture or a colour at every corner, which nothing else may replace. */
function ownLook(part: Mesh): MeshStandardMaterial | null {
  const material = (Array.isArray(part.material) ? part.material[0] : part.material) as MeshStandardMaterial | undefined;
  return material && (material.map || part.geometry.getAttribute("color")) ? material : null;
}

function withOwnLook(geometry: BufferGeometry, part: Mesh, look: MeshStandardMaterial): Mesh {
  const source = part.geometry as BufferGeometry;
  for (const name of ["uv", "color"]) if (source.getAttribute(name)) geometry.setAttribute(name, source.getAttribute(name).clone());
  const material = new MeshStandardMaterial({ map: look.map ?? null, roughness: 0.55, metalness: 0.08 });
  material.vertexColors = geometry.hasAttribute("color");
  material.flatShading = !source.hasAttribute("normal");
  return new Mesh(geometry, material);
}

/** The description's colour where it gives one; otherwise the mesh's own; otherwise the light grey of all arms. */
function paintOf(part: Mesh, visual: Object3D, painted: boolean, paints: Paints): Paint {
  const material = (Array.isArray(part.material) ? part.material[0] : part.material) as MeshStandardMaterial | MeshPhongMaterial;
  if (painted) {
    const [r = 0.8, g = 0.8, b = 0.8, opacity = 1] = colourOf(visual);
    return paints.of(new Color().setRGB(r, g, b, "srgb"), opacity);
  }
  const white = material.color.getHex() === 0xffffff;
  return material instanceof MeshPhongMaterial || white ? paints.of(null, 1) : paints.of(material.color, material.opacity);
}

/** What stands in the description, by the visual or by the name of a material of the robot: red, green, blue, opacity. */
function colourOf(visual: Object3D): readonly number[] {
  const node = (visual as unknown as { urdfNode: Element }).urdfNode;
  const own = node.getElementsByTagName("material")[0]!;
  const name = own.getAttribute("name");
  const named = [...(node.ownerDocument.documentElement.children ?? [])].find((each) => each.nodeName === "material" && each.getAttribute("name") === name);
  const rgba = (own.getElementsByTagName("color")[0] ?? named?.getElementsByTagName("color")[0])?.getAttribute("rgba");
  return rgba?.trim().split(/\s+/).map(Number) ?? [];
}
