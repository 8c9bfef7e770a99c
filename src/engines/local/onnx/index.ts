export * from './graph-builder.ts'
export type { Attribute, Dimension, ElementType } from './model.ts'
