/**
 * The mock domain's tools. Descriptions are upstream's, for they are part of the prompts (sierra-research/tau2-bench,
 * MIT licence, Copyright Sierra Research).
 */
import type { TableDatabase } from '../database.ts'
import type { DomainState } from '../domain.ts'
import { any, field, list, str, type Type } from '../model.ts'
import { valueError } from '../python/errors.ts'
import { str as text } from '../python/number.ts'
import { equals, type PyValue } from '../python/value.ts'
import { TRANSFER_TO_HUMAN_AGENTS } from '../shared-tools.ts'
import { type Method, method, tool, toolkit } from '../tool.ts'
import { type MockDb, type MockUserDb, Notification, TASK_STATUS, Task, User } from './models.ts'

export interface MockState extends DomainState {
  db: TableDatabase<(typeof MockDb)['fields']>
  userDb: TableDatabase<(typeof MockUserDb)['fields']>
}

function findTask({ db }: MockState, id: PyValue): Task {
  const task = db.tables.tasks.get(id)
  if (!task) throw valueError(`Task ${text(id)} not found`)
  return task
}

function findMember({ db }: MockState, id: PyValue): User {
  const user = db.tables.users.get(id)
  if (!user) throw valueError(`User ${text(id)} not found`)
  return user
}

function findNotification({ userDb }: MockState, id: PyValue): Notification {
  const notification = userDb.tables.notifications.get(id)
  if (!notification) throw valueError(`Notification ${text(id)} not found`)
  return notification
}

const CREATE_TASK = tool<MockState>({
  name: 'create_task',
  kind: 'write',
  description: 'Create a new task for a user.',
  parameters: {
    user_id: field(str, 'The ID of the user creating the task'),
    title: field(str, 'The title of the task'),
    // Upstream declares a str and gives it None.
    description: field(str as Type<string | null>, 'Optional description of the task', null),
  },
  returns: field(Task, 'The created task'),
  call(state, userId, title, description) {
    findMember(state, userId)
    const { tasks, users } = state.db.tables
    const id = `task_${tasks.size + 1}`
    const task = Task.of({ task_id: id, title, description, status: 'pending' })
    tasks.add(id, task)
    users.edit(userId as string).tasks.push(id)
    return task
  },
})

const GET_USERS = tool<MockState>({
  name: 'get_users',
  kind: 'read',
  description: 'Get all users in the database.',
  returns: field(list(User)),
  call: ({ db }) => [...db.tables.users.values()],
})

const UPDATE_TASK_STATUS = tool<MockState>({
  name: 'update_task_status',
  kind: 'write',
  description: 'Update the status of a task.',
  parameters: {
    task_id: field(str, 'The ID of the task to update'),
    status: field(TASK_STATUS, 'The new status of the task'),
  },
  returns: field(Task, 'The updated task'),
  call(state, taskId, status) {
    findTask(state, taskId)
    const task = state.db.tables.tasks.edit(taskId as string)
    // Whatever it is: upstream does not look.
    task.status = status as Task['status']
    return task
  },
})

const ASSERT_NUMBER_OF_TASKS = method<MockState>(
  'assert_number_of_tasks',
  ['user_id', 'expected_number'],
  (state, userId, expected) => equals(BigInt(findMember(state, userId).tasks.length), expected),
)

const ASSERT_TASK_STATUS = method<MockState>(
  'assert_task_status',
  ['task_id', 'expected_status'],
  (state, taskId, expected) => equals(findTask(state, taskId).status, expected),
)

export const MOCK_TOOLS = toolkit(
  'MockTools',
  [CREATE_TASK, GET_USERS, UPDATE_TASK_STATUS, TRANSFER_TO_HUMAN_AGENTS],
  [ASSERT_NUMBER_OF_TASKS, ASSERT_TASK_STATUS],
)

const CHECK_NOTIFICATIONS = tool<MockState>({
  name: 'check_notifications',
  kind: 'read',
  description: "Check all notifications in the user's inbox.",
  returns: field(list(Notification), 'A list of all notifications.'),
  call: ({ userDb }) => [...userDb.tables.notifications.values()],
})

const DISMISS_NOTIFICATION = tool<MockState>({
  name: 'dismiss_notification',
  kind: 'write',
  description: 'Dismiss (mark as read) a notification.',
  parameters: { notification_id: field(str, 'The ID of the notification to dismiss.') },
  returns: field(str, 'A confirmation message.'),
  call(state, id) {
    findNotification(state, id)
    state.userDb.tables.notifications.edit(id as string).status = 'read'
    return `Notification ${text(id)} dismissed`
  },
})

const ADD_NOTIFICATION: Method<MockState> = {
  name: 'add_notification',
  parameters: { notification_id: field(any), message: field(any), task_id: field(any, undefined, null) },
  call(state, notification_id, message, task_id) {
    const notification = Notification.of({ notification_id, message, task_id })
    state.userDb.tables.notifications.add(notification.notification_id, notification)
    return notification
  },
}

const ASSERT_NOTIFICATION_STATUS = method<MockState>(
  'assert_notification_status',
  ['notification_id', 'expected_status'],
  (state, id, expected) => equals(findNotification(state, id).status, expected),
)

export const MOCK_USER_TOOLS = toolkit(
  'MockUserTools',
  [CHECK_NOTIFICATIONS, DISMISS_NOTIFICATION],
  [ADD_NOTIFICATION, ASSERT_NOTIFICATION_STATUS],
)
