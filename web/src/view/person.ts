/** Who is imitated, beside the robot: one rod a bone, all of them one mesh. Left blue, right orange, the trunk grey. */

import { type Box3, Color, DynamicDrawUsage, InstancedMesh, LatheGeometry, Matrix4, MeshLambertMaterial, Quaternion, Vector2, Vector3 } from "three";
import { placed, type Rod, rodsOf, type Stand } from "../imitate/rods";
import type { Palette } from "./colours";

const UP = new Vector3(0, 1, 0); // a lathe's axis
const NOTHING = new Matrix4().makeScale(0, 0, 0);
/** Radius and height along a bone, both of 1: a spindle, thickest near the joint that turns it. It does for a head too. */
const OUTLINE = ([[0, 0], [0.5, 0.03], [0.85, 0.14], [1, 0.34], [0.94, 0.6], [0.72, 0.85], [0.42, 0.97], [0, 1]] as const).map(([r, h]) => new Vector2(r, h));

export class Person {
  readonly mesh: InstancedMesh;
  private readonly rods: readonly Rod[];
  private readonly ends = new Float64Array(7);
  private readonly from = new Vector3();
  private readonly along = new Vector3();
  private readonly turn = new Quaternion();
  private readonly size = new Vector3();
  private readonly matrix = new Matrix4();

  constructor(
    readonly parents: readonly number[],
    sides: readonly string[],
    places: readonly number[],
    private readonly stand: Stand,
    palette: Palette,
  ) {
    this.rods = rodsOf(parents, sides, places);
    this.mesh = new InstancedMesh(new LatheGeometry(OUTLINE, 7), new MeshLambertMaterial(), Math.max(1, this.rods.length));
    this.mesh.instanceMatrix.setUsage(DynamicDrawUsage);
    this.mesh.frustumCulled = false; // its bones leave the box that it began in
    this.mesh.matrixAutoUpdate = false;
    this.dress(palette);
    this.place(places);
  }

  /** How many bones are drawn. */
  get count(): number {
    return this.rods.length;
  }

  place(places: readonly number[]): void {
    this.rods.forEach((rod, number) => {
      const seen = placed(rod, places, this.stand, this.ends);
      this.mesh.setMatrixAt(number, seen ? this.pose() : NOTHING);
    });
    this.mesh.instanceMatrix.needsUpdate = true;
  }

  dress(palette: Palette): void {
    const colour = new Color();
    this.rods.forEach(({ side }, number) => {
      this.mesh.setColorAt(number, colour.set(side === "left" ? palette.personLeft : side === "right" ? palette.personRight : palette.personTrunk));
    });
    if (this.mesh.instanceColor) this.mesh.instanceColor.needsUpdate = true;
  }

  /** Where he is, whatever he does, but for an arm that is stretched away from the robot: so that the view need not follow him. */
  growBox(box: Box3): Box3 {
    const { x, y, z, height } = this.stand;
    return box.expandByPoint(this.from.set(x - 0.2 * height, y - 0.5 * height, z)).expandByPoint(this.from.set(x + 0.2 * height, y + 0.3 * height, z + height));
  }

  dispose(): void {
    this.mesh.removeFromParent();
    this.mesh.geometry.dispose();
    (this.mesh.material as MeshLambertMaterial).dispose();
    this.mesh.dispose();
  }

  private pose(): Matrix4 {
    const [ax = 0, ay = 0, az = 0, bx = 0, by = 0, bz = 0, radius = 0] = this.ends;
    this.from.set(ax, ay, az);
    this.along.set(bx - ax, by - ay, bz - az);
    const length = this.along.length();
    this.turn.setFromUnitVectors(UP, this.along.divideScalar(length));
    return this.matrix.compose(this.from, this.turn, this.size.set(radius, length, radius));
  }
}
