/**
 * Decides which users a permission setting includes. The server and the web client hold users, groups and settings in
 * different forms, so each has its own scope for the same rules.
 */
export type PermissionScope<User, Setting> = { includes(user: User, setting: Setting): boolean }

/** The part of a user that rules need. */
export type RuleUser = { readonly role: number }
