import { badTestBody, settleMail, type TestCall } from './test-call.ts'

export const mailCalls: TestCall[] = [
  {
    route: 'GET /testing/mail',
    async answer({ app, mailbox }, { query }) {
      await settleMail(app)
      const [to, afterId] = [query.get('to') || undefined, query.get('after_id') || '0']
      if (!/^\d+$/.test(afterId)) throw badTestBody({ complaint: 'after_id: must be a whole number' })
      const mails = mailbox.mails({ ...(to !== undefined && { to }), afterId: Number(afterId) })
      return { messages: mails.map(({ sentAt, ...mail }) => ({ ...mail, sent_at: sentAt })) }
    },
  },
  {
    route: 'DELETE /testing/mail',
    async answer({ app, mailbox }) {
      await settleMail(app)
      mailbox.empty()
      return {}
    },
  },
]
