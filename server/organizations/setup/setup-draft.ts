import { z } from 'zod'

const joiningMethods = ['mail', 'links'] as const

/** How people are to come into the organization: invited by mail (and by links), or by links alone. */
export type JoiningMethod = (typeof joiningMethods)[number]

export const isJoiningMethod = (text: string): text is JoiningMethod =>
  (joiningMethods as readonly string[]).includes(text)

/** What the steps of the set-up have said so far. */
export const setupDraft = z.object({
  organization: z.object({ name: z.string(), subdomain: z.string() }).optional(),
  owner: z
    .object({ fullName: z.string(), email: z.string(), timezone: z.string(), passwordHash: z.string() })
    .optional(),
  joining: z.enum(joiningMethods).optional(),
})

export type SetupDraft = z.infer<typeof setupDraft>

/** A draft in which every step has been answered. */
export type CompleteSetupDraft = Required<SetupDraft>
