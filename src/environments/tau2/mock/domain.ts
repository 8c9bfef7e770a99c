import { TableStore } from '../database.ts'
import type { Domain } from '../domain.ts'
import { constructFrom, readJson, readText } from '../files.ts'
import { MockDb, MockUserDb } from './models.ts'
import { MOCK_TOOLS, MOCK_USER_TOOLS, type MockState } from './tools.ts'

/** Upstream's smallest domain, for trying things out. */
export const mock: Domain<MockState> = {
  name: 'mock',
  tools: MOCK_TOOLS,
  userTools: MOCK_USER_TOOLS,
  load(folder) {
    const store = new TableStore(MockDb, constructFrom(MockDb, readJson(folder, 'db.json'), 'mock/db.json'))
    const user = readJson(folder, 'user_db.json')
    const userStore = new TableStore(MockUserDb, constructFrom(MockUserDb, user, 'mock/user_db.json'))
    return {
      policy: readText(folder, 'policy.md'),
      soloPolicy: readText(folder, 'policy_solo.md'),
      open: () => ({ db: store.open(), userDb: userStore.open() }),
    }
  },
}
