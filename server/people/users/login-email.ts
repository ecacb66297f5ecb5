import { z } from 'zod'
import { t } from '#lib/text/t.ts'
import type { RenderedEmail, TemplateContext } from '#mail/email-template.ts'
import { fillTemplate } from './fill-template.ts'
import { timezoneOr } from './settings/time-zone.ts'
import type { User } from './user.ts'

export const NEW_LOGIN_TEMPLATE = 'new-login'

const newLogin = z.object({
  userId: z.int(),
  at: z.number(),
  /** The names of the browser and the operating system; empty if they are unknown. */
  browser: z.string(),
  address: z.string(),
})

/** Renders the email about a login in a new browser. */
export function loginEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId, at, browser, address } = newLogin.parse(data)
  return fillTemplate(context, userId, ({ user, realm, url }) => ({
    subject: t('New login to your account at {realm}', { realm }),
    blocks: [
      t('Someone, probably you, logged in to your account at {url} with a browser that you have not used recently.', {
        url,
      }),
      {
        items: [
          t('Time: {time}', { time: formatTime(user, at) }),
          browser === '' ? t('Browser: unknown') : t('Browser: {browser}', { browser }),
          t('IP address: {address}', { address }),
        ],
      },
      t('If this was you, you do not need to do anything.'),
      t('If it was not you, choose a new password now to log out all browsers:'),
      { button: t('Choose a new password'), url: `${url}/accounts/password/reset/` },
      t('You can also see which browsers are logged in:'),
      { button: t('Open account settings'), url: `${url}/settings/account` },
      t('You can turn off these emails in your notification settings.'),
    ],
  }))
}

/**
 * Formats a time in the user's time zone, with the name of the time zone. It uses the 12-hour or 24-hour format that
 * the user chose.
 */
function formatTime({ timezone, settings }: User, time: number): string {
  const format = new Intl.DateTimeFormat('en', {
    dateStyle: 'long',
    timeStyle: 'long',
    timeZone: timezoneOr(timezone, 'UTC'),
    hourCycle: settings.twenty_four_hour_time ? 'h23' : 'h12',
  })
  return format.format(time * 1000)
}
