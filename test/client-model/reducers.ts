import type { Reducer } from './reducer.ts'
import { botReducer } from './reducers/bots.ts'
import { channelReducer } from './reducers/channels.ts'
import { groupReducer } from './reducers/groups.ts'
import { messageReducer } from './reducers/messages.ts'
import { nothingReducer } from './reducers/nothing.ts'
import { organizationReducer } from './reducers/organization.ts'
import { peopleReducer } from './reducers/people.ts'
import { personalReducer } from './reducers/personal.ts'
import { profileReducer } from './reducers/profiles.ts'
import { realmReducer } from './reducers/realm.ts'
import { reminderReducer, scheduledMessageReducer } from './reducers/scheduled-messages.ts'
import { settingsReducer } from './reducers/settings.ts'
import { statusReducer } from './reducers/statuses.ts'
import { unreadReducer } from './reducers/unread.ts'
import { userTopicReducer } from './reducers/user-topics.ts'

export const reducers: readonly Reducer[] = [
  nothingReducer,
  realmReducer,
  organizationReducer,
  groupReducer,
  peopleReducer,
  profileReducer,
  botReducer,
  statusReducer,
  settingsReducer,
  // Before the reducers that change what is muted.
  unreadReducer,
  channelReducer,
  messageReducer,
  userTopicReducer,
  personalReducer,
  scheduledMessageReducer,
  reminderReducer,
]
