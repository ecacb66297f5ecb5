// Limits on values that the server and the web client check in the same way: the server before it stores a value, the
// client before it sends one.

/** The maximum length of a message, in code points. The server truncates longer messages. */
export const MAX_MESSAGE_LENGTH = 10_000

/** The maximum lengths of names and other texts, in code points. */
export const MAX_LENGTH = {
  alertWord: 100,
  apiKeyName: 30,
  commandDescription: 100,
  commandHint: 60,
  emojiName: 100,
  fullName: 100,
  groupName: 100,
  linkifier: 1000,
  playgroundLanguage: 40,
  playgroundName: 100,
  playgroundTemplate: 1000,
  profileFieldHint: 80,
  profileFieldName: 40,
  profileLongText: 500,
  profileShortText: 50,
  realmDescription: 1000,
  realmName: 40,
  snippetTitle: 60,
} as const

/** The maximum size of a profile picture, a custom emoji, or a picture of the organization, in MiB. */
export const MAX_PICTURE_MEBIBYTES = 5

/** Seconds after the last report until a user counts as offline. */
export const OFFLINE_AFTER = 200

/** The maximum length of a status text, in code points. */
export const MAX_STATUS_LENGTH = 60

/** The maximum number of users that a wildcard mention may notify without a permission. */
export const MAX_UNRESTRICTED_MENTIONS = 15

/** The maximum index of an option or task. Clients number the items that each user adds to a widget. */
export const MAX_WIDGET_INDEX = 1000

/** Seconds for which the local ids of sent messages are remembered, so that a repeated request sends nothing. */
export const LOCAL_ID_LIFETIME = 14 * 86_400

/** The maximum length of the address, in characters. */
export const MAX_CALL_SERVER_LENGTH = 200

/**
 * Matches addresses of Jitsi servers. A room name is appended to the address, and the result becomes a link in a
 * message. The address must therefore not contain characters that end the link or begin a query, a fragment or a
 * password.
 */
export const CALL_SERVER_ADDRESS = /^https:\/\/[^\s/@?#()[\]<>"'\\]+(\/[^\s@?#()[\]<>"'\\]*)?$/
