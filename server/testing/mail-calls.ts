import type { TestCall } from './call.ts'
import { badTestBody } from './call.ts'

export const mailCalls: TestCall[] = [
  {
    route: 'GET /testing/mail',
    async answer({ app, mailbox }, { query }) {
      await app.postman.settled()
      const afterId = query.get('after_id')
      if (afterId !== undefined && !/^\d+$/.test(afterId))
        throw badTestBody({ complaint: 'after_id: must be a whole number' })
      const mails = mailbox.mails({
        ...(query.has('to') && { to: query.get('to') as string }),
        ...(afterId !== undefined && { afterId: Number(afterId) }),
      })
      return { messages: mails.map(({ sentAt, ...mail }) => ({ ...mail, sent_at: sentAt })) }
    },
  },
  {
    route: 'DELETE /testing/mail',
    async answer({ app, mailbox }) {
      await app.postman.settled()
      mailbox.empty()
      return {}
    },
  },
]
