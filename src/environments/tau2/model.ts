export { dict, enumeration, list, literal, optional, union } from './model/containers.ts'
export {
  dump,
  type Field,
  type Fields,
  field,
  type Instance,
  type InstanceOf,
  Model,
  schemaOf,
} from './model/model.ts'
export { any, bool, date, datetime, float, int, str } from './model/scalars.ts'
export type { JsonSchema, Type } from './model/type.ts'
