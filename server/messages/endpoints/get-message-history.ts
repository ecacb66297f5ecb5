import { z } from 'zod'
import { viewerOf } from '#groups/viewer.ts'
import { endpoint } from '#http/endpoint.ts'
import { invalidMessage, requireMessage } from '../access.ts'
import { historyDisabled, messageVersions, versionJson } from '../editing/message-history.ts'

export const getMessageHistory = endpoint({
  route: 'GET /messages/{message_id}/history',
  summary: "List a message's versions",
  who: 'user',
  params: { allow_empty_topic_name: z.boolean().default(false) },
  returns: { message_history: z.array(versionJson).describe('Oldest first, starting with the original message.') },
  refuses: [invalidMessage, historyDisabled],
  async handle({ db, actor, clock, rerenderJob }, params) {
    const { message } = await requireMessage(viewerOf(db, actor, clock.now()), params.message_id)
    rerenderJob.rerenderOutdated([message])
    return { message_history: messageVersions(actor.realm, message, params.allow_empty_topic_name) }
  },
})
