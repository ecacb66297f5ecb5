import { z } from 'zod'

const joiningWays = ['mail', 'links'] as const

/** How people are to come into the organization: invited by mail (and by links), or by links alone. */
export type JoiningWay = (typeof joiningWays)[number]

export const isJoiningWay = (text: string): text is JoiningWay => (joiningWays as readonly string[]).includes(text)

/** What the steps of the set-up have said so far. */
export const draftType = z.object({
  organization: z.object({ name: z.string(), subdomain: z.string() }).optional(),
  owner: z
    .object({ fullName: z.string(), email: z.string(), timezone: z.string(), passwordHash: z.string() })
    .optional(),
  joining: z.enum(joiningWays).optional(),
})

export type Draft = z.infer<typeof draftType>

/** A draft in which every step has been answered. */
export type WholeDraft = Required<Draft>
