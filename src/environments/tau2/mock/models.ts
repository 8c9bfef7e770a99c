/**
 * The mock domain's data model: a small list of tasks, and the user's inbox. Field names and descriptions are upstream's
 * (sierra-research/tau2-bench, MIT licence, Copyright Sierra Research).
 */
import { dict, field, type InstanceOf, list, literal, Model, optional, str } from '../model.ts'

export const TASK_STATUS = literal('pending', 'completed')

export const Task = new Model('Task', {
  task_id: field(str, 'Unique identifier for the task'),
  title: field(str, 'Title of the task'),
  description: field(optional(str), 'Description of the task', null),
  status: field(TASK_STATUS, 'Status of the task'),
})

export const User = new Model('User', {
  user_id: field(str, 'Unique identifier for the user'),
  name: field(str, "User's name"),
  tasks: field(list(str), 'List of task IDs assigned to the user'),
})

export const MockDb = new Model(
  'MockDB',
  {
    tasks: field(dict(Task), 'Dictionary of all tasks indexed by task ID'),
    users: field(dict(User), 'Dictionary of all users indexed by user ID'),
  },
  { description: 'Simple database with users and their tasks.', forbidExtra: true },
)

export const Notification = new Model(
  'Notification',
  {
    notification_id: field(str, 'Unique identifier for the notification'),
    message: field(str, 'The notification message'),
    status: field(literal('unread', 'read'), 'Whether the notification has been read', 'unread'),
    task_id: field(optional(str), 'Associated task ID, if applicable', null),
  },
  { description: "A notification in the user's inbox.", forbidExtra: true },
)

export const MockUserDb = new Model(
  'MockUserDB',
  {
    notifications: field(
      dict(Notification),
      'Dictionary of notifications indexed by notification ID',
      new Map<string, never>(),
    ),
  },
  { description: 'Simple user database with a notification inbox.', forbidExtra: true },
)

export type Task = InstanceOf<typeof Task>
export type User = InstanceOf<typeof User>
export type Notification = InstanceOf<typeof Notification>
