import type { DeployedParts } from '../../cloud/deployment/deployed-parts.ts';
import { SHAPES, type Shape } from '../../plan/deployed-functions.ts';
import type { Manifest } from '../../plan/manifest.ts';

/**
 * The shape that a pipeline was deployed in, by the function of its first stage; `functions` where that cannot be told.
 * @param manifestOf what there would be in a shape
 */
export async function deployedShape(
  parts: DeployedParts,
  region: string,
  manifestOf: (shape: Shape) => Manifest,
): Promise<Shape> {
  for (const shape of SHAPES) {
    const stage = manifestOf(shape).functions.find(({ role }) => role === 'stage');
    // What cannot be asked, the check of the functions says.
    const found = stage && (await parts.service(region, stage.name).catch(() => undefined));
    if (found !== undefined) return shape;
  }
  return 'functions';
}
