import { z } from 'zod'
import { anyInteger } from '#http/params.ts'

/** A channel to subscribe to. */
export const channelRequestParam = z.object({
  name: z.string(),
  description: z.string().optional().describe('The description of the channel, if it is created.'),
  color: z.string().optional().describe('The color for users who were never subscribed: `#rrggbb`.'),
})

/** The users whose subscriptions a request changes, by id or by API email address. */
export const principalsParam = z.union([z.array(anyInteger), z.array(z.string())]).optional()
