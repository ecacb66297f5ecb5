import { isolatedPage } from '../../../http/pages/isolated-page.ts'
import { showPage } from '../../../http/pages/layout.ts'
import { page } from '../../../http/pages/page.ts'
import { readMail } from './read-mail.ts'

/** The HTML of a mail, for the frame in which the web client shows it. */
export const showMail = page({
  route: 'GET /mails/{mail_id}/html',
  who: 'user',
  async answer(call, { mail_id }) {
    const id = /^\d{1,15}$/.test(mail_id) ? Number(mail_id) : 0
    const { message } = await readMail(call, call.visitor.actor, id)
    if (message === null) return showPage({ status: 404, heading: 'This mail cannot be shown' })
    return isolatedPage(message.html)
  },
})
