export { type RewardServer, type RewardServerOptions, startRewardServer } from './reward-server.ts'
export { type RunningServer, type ServeOptions, startServer } from './server.ts'
