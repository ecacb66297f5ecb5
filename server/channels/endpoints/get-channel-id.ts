import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { trimWhitespace } from '#lib/encoding/trim-whitespace.ts'
import { refusal } from '#lib/errors/refusal.ts'
import { maySeeChannel } from '../access.ts'
import { findChannelByName } from '../queries.ts'

const invalidChannelName = refusal('BAD_REQUEST', 400, "Invalid channel name '{name}'", { field: 'stream' })

export const getChannelId = endpoint({
  route: 'GET /get_stream_id',
  summary: "Get a channel's id by its name",
  who: 'user',
  params: { stream: z.string().describe('The name of the channel, in any case.') },
  returns: { stream_id: z.int() },
  refuses: [invalidChannelName],
  async handle({ db, actor, clock }, { stream: name }) {
    const channel = await findChannelByName(db, actor.realmId, trimWhitespace(name))
    const isKnown = await maySeeChannel(viewerOf(db, actor, clock.now()), channel)
    if (channel === null || !isKnown) throw invalidChannelName({ name })
    return { stream_id: channel.id }
  },
})
