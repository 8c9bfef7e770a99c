export * from './check.ts'
export * from './environment.ts'
export * from './expert.ts'
export * from './folder.ts'
export * from './game.ts'
export * from './gamefile.ts'
export * from './games.ts'
export * from './house.ts'
export * from './houseid.ts'
export {
  HOUSE_SPLITS,
  type HouseSize,
  type HouseSplit,
  type Layout,
  type LayoutFamily,
  layoutFamily,
  layoutOf,
} from './layout.ts'
export * from './listing.ts'
export * from './names.ts'
export { shuffleObjects } from './placing.ts'
export * from './planner.ts'
export * from './play.ts'
export * from './problem.ts'
export { problemText } from './problemtext.ts'
export * from './rules.ts'
export * from './scan.ts'
export * from './transitionkind.ts'
export { variants } from './variants.ts'
export * from './world.ts'
