import { createComplexityModel, type ComplexityModel } from './complexity-model.ts';
import weights from '../../../../models/complexity/weights.json' with { type: 'json' };

let loaded: ComplexityModel | undefined;

/** The score with the weights that ship with the gateway. */
export function loadComplexityModel(): ComplexityModel {
  loaded ??= createComplexityModel(weights);
  return loaded;
}
