import { deleteAvatar, setAvatar } from './endpoints/avatar.ts'
import { checkPassword } from './endpoints/check-password.ts'
import { createBotEndpoint } from './endpoints/create-bot.ts'
import { createUserEndpoint } from './endpoints/create-user.ts'
import { deactivateBot, regenerateBotApiKey } from './endpoints/deactivate-bot.ts'
import { deactivateOwnUser, deactivateUserEndpoint, reactivateUserEndpoint } from './endpoints/deactivate-user.ts'
import { devFetchApiKey } from './endpoints/dev-fetch-api-key.ts'
import { fetchApiKey } from './endpoints/fetch-api-key.ts'
import { getBots } from './endpoints/get-bots.ts'
import { getOwnUser } from './endpoints/get-own-user.ts'
import { getServerSettings } from './endpoints/get-server-settings.ts'
import { getUser, getUserByEmail, getUsers } from './endpoints/get-users.ts'
import { createApiKey, deleteApiKey, listApiKeys } from './endpoints/own-api-keys.ts'
import { regenerateApiKey } from './endpoints/regenerate-api-key.ts'
import { updateBot } from './endpoints/update-bot.ts'
import { updateDisplaySettings, updateNotificationSettings, updateSettings } from './endpoints/update-settings.ts'
import { updateUser, updateUserByEmail } from './endpoints/update-user.ts'

export const userEndpoints = [
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
