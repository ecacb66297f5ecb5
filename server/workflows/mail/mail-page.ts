import { isolatedPage } from '#http/pages/isolated-page.ts'
import { renderPage } from '#http/pages/layout.ts'
import { page } from '#http/pages/page.ts'
import { t } from '#lib/text/t.ts'
import { readMail } from './read-mail.ts'

/** Shows the HTML of an email, for a frame in the web client. */
export const showMail = page({
  route: 'GET /mails/{mail_id}/html',
  who: 'user',
  async handle(call, { mail_id }) {
    const id = /^\d{1,15}$/.test(mail_id) ? Number(mail_id) : 0
    const { message } = await readMail(call, call.visitor.actor, id)
    if (message === null) return renderPage({ status: 404, heading: t('This email cannot be shown') })
    return isolatedPage(message.html)
  },
})
