import { tagged } from '#http/endpoint.ts'
import { deleteAvatar, setAvatar } from './avatars.ts'
import { alertWordEndpoints } from './endpoints/alert-words.ts'
import {
  createApiKey,
  deleteApiKey,
  devFetchApiKey,
  fetchApiKey,
  listApiKeys,
  regenerateApiKey,
} from './endpoints/api-keys.ts'
import { botStorageEndpoints } from './endpoints/bot-storage.ts'
import { createBotEndpoint, getBots } from './endpoints/bots.ts'
import { getServerSettings } from './endpoints/get-server-settings.ts'
import { getOwnUser, getUser, getUserByEmail, getUsers } from './endpoints/get-users.ts'
import { muteEndpoints } from './endpoints/mutes.ts'
import { logOutUser, sessionEndpoints } from './endpoints/sessions.ts'
import { updateDisplaySettings, updateNotificationSettings, updateSettings } from './endpoints/settings.ts'
import { statusEndpoints } from './endpoints/statuses.ts'
import { deactivateBot, regenerateBotApiKey, updateBot } from './endpoints/update-bot.ts'
import {
  createUserEndpoint,
  deactivateOwnUser,
  deactivateUserEndpoint,
  reactivateUserEndpoint,
  updateUser,
  updateUserByEmail,
} from './endpoints/users.ts'
import { checkPassword } from './passwords.ts'
import { profileEndpoints } from './profiles.ts'

// All endpoints of accounts and of what people keep about themselves.

const userEndpoints = [
  getServerSettings,
  fetchApiKey,
  checkPassword,
  devFetchApiKey,
  regenerateApiKey,
  listApiKeys,
  createApiKey,
  deleteApiKey,
  getUsers,
  getUser,
  getUserByEmail,
  getOwnUser,
  createUserEndpoint,
  updateUser,
  updateUserByEmail,
  deactivateUserEndpoint,
  deactivateOwnUser,
  reactivateUserEndpoint,
  updateSettings,
  updateNotificationSettings,
  updateDisplaySettings,
  setAvatar,
  deleteAvatar,
  getBots,
  createBotEndpoint,
  updateBot,
  deactivateBot,
  regenerateBotApiKey,
]

/** The endpoints for accounts and for what people keep about themselves. */
export const accountEndpoints = [
  ...tagged('Users', [...userEndpoints, ...sessionEndpoints, logOutUser]),
  ...tagged('Profile fields', profileEndpoints),
  ...tagged('Statuses', statusEndpoints),
  ...tagged('Muted users', muteEndpoints),
  ...tagged('Alert words', alertWordEndpoints),
  ...tagged('Bot storage', botStorageEndpoints),
]
