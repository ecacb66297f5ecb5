/** What an account may do, the mightier the lower. */
export const Role = { owner: 100, administrator: 200, moderator: 300, member: 400, guest: 600 } as const

export type Role = (typeof Role)[keyof typeof Role]

export const roles: readonly Role[] = Object.values(Role)

/** Kinds of bots by their numbers on the wire. */
export const BotType = { generic: 1, incomingWebhook: 2, outgoingWebhook: 3, embedded: 4 } as const

export function isRole(number: number): number is Role {
  return (roles as readonly number[]).includes(number)
}

/** Administrators and owners. */
export function isAdministrator(user: { role: number }): boolean {
  return user.role <= Role.administrator
}

export function isOwner(user: { role: number }): boolean {
  return user.role === Role.owner
}

export function isGuest(user: { role: number }): boolean {
  return user.role === Role.guest
}
