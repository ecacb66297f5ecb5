import { tagged } from '#http/endpoint.ts'
import type { Page } from '#http/pages.ts'
import { deleteAvatar, setAvatar } from './avatars.ts'
import { botStorageEndpoints } from './bot-storage.ts'
import { alertWordEndpoints } from './endpoints/alert-words.ts'
import {
  authenticationFailed,
  createApiKey,
  deleteApiKey,
  devFetchApiKey,
  findUserByEitherEmail,
  listApiKeys,
  loginRealmDeactivated,
  loginUserDeactivated,
  regenerateApiKey,
} from './endpoints/api-keys.ts'
import { botCommandEndpoints } from './endpoints/bot-commands.ts'
import { createBotEndpoint, getBots } from './endpoints/bots.ts'
import { connectedAccountEndpoints } from './endpoints/connected-accounts.ts'
import {
  emailUnsubscribePages,
  showEmailChange,
  showEmailUndo,
  submitEmailChange,
  submitEmailUndo,
} from './endpoints/email-pages.ts'
import { findAccountsPages } from './endpoints/find-accounts-pages.ts'
import { getServerSettings, noOrganizationAtAddress } from './endpoints/get-server-settings.ts'
import { getOwnUser, getUser, getUserByEmail, getUsers, searchUsers } from './endpoints/get-users.ts'
import { jwtFetchApiKey } from './endpoints/jwt-fetch-api-key.ts'
import { muteEndpoints } from './endpoints/mutes.ts'
import {
  showForgottenPassword,
  showNewPassword,
  submitForgottenPassword,
  submitNewPassword,
} from './endpoints/password-reset-pages.ts'
import { logOutUser, sessionEndpoints } from './endpoints/sessions.ts'
import { updateDisplaySettings, updateNotificationSettings, updateSettings } from './endpoints/settings.ts'
import { statusEndpoints } from './endpoints/statuses.ts'
import { createBotApiKey, deactivateBot, regenerateBotApiKey, updateBot } from './endpoints/update-bot.ts'
import {
  createUserEndpoint,
  deactivateOwnUser,
  deactivateUserEndpoint,
  reactivateUserEndpoint,
  updateUser,
  updateUserByEmail,
} from './endpoints/users.ts'
import { checkPassword } from './password-checks.ts'
import { profileEndpoints } from './profiles.ts'
import { secondFactorEndpoints } from './second-factor/endpoints.ts'
import { passkeyForm, secondFactorPages } from './second-factor/pages.ts'

export {
  authenticationFailed,
  findUserByEitherEmail,
  loginRealmDeactivated,
  loginUserDeactivated,
  noOrganizationAtAddress,
  passkeyForm,
}

// All endpoints of accounts and of what people keep about themselves, and the pages of accounts, which work without
// scripts: the second factor, passwords and email addresses.

const userEndpoints = [
  getServerSettings,
  jwtFetchApiKey,
  checkPassword,
  devFetchApiKey,
  regenerateApiKey,
  listApiKeys,
  createApiKey,
  deleteApiKey,
  getUsers,
  searchUsers,
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
  createBotApiKey,
]

/** The endpoints for accounts and for what people keep about themselves. */
export const accountEndpoints = [
  ...tagged('Users', [
    ...userEndpoints,
    ...sessionEndpoints,
    logOutUser,
    ...secondFactorEndpoints,
    ...connectedAccountEndpoints,
  ]),
  ...tagged('Profile fields', profileEndpoints),
  ...tagged('Statuses', statusEndpoints),
  ...tagged('Muted users', muteEndpoints),
  ...tagged('Alert words', alertWordEndpoints),
  ...tagged('Bot commands', botCommandEndpoints),
  ...tagged('Bot storage', botStorageEndpoints),
]

/** The pages for the second factor, passwords and email addresses. */
export const accountPages: readonly Page[] = [
  ...secondFactorPages,
  showForgottenPassword,
  submitForgottenPassword,
  showNewPassword,
  submitNewPassword,
  showEmailChange,
  submitEmailChange,
  showEmailUndo,
  submitEmailUndo,
  ...findAccountsPages,
  ...emailUnsubscribePages,
]
