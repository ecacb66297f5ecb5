import { z } from 'zod'

/** A channel to be subscribed to. */
export const channelRequestParam = z.object({
  name: z.string(),
  description: z.string().optional().describe('Of the channel, where it is created.'),
  color: z.string().optional().describe('In which it shows to whoever was never in it: `#rrggbb`.'),
})
