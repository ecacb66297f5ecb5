import { z } from 'zod'
import { t } from '#lib/text/t.ts'
import type { RenderedEmail, TemplateContext } from '#mail/email-template.ts'
import { fillTemplate } from './fill-template.ts'

export const WELCOME_TEMPLATE = 'welcome'

const welcome = z.object({ userId: z.int() })

/**
 * Renders the email to a new user. It contains the URL of the organization, the email address for logging in, and first
 * steps.
 */
export function welcomeEmail(data: unknown, context: TemplateContext): Promise<RenderedEmail | null> {
  const { userId } = welcome.parse(data)
  return fillTemplate(context, userId, ({ user, realm, url }) => ({
    subject: t('Welcome to {realm}', { realm }),
    blocks: [
      t('You now have an account at {realm}. Keep this email, because you need these details to log in:', { realm }),
      {
        items: [
          t('Organization URL: {url}', { url }),
          t('Email address for login: {email}', { email: user.deliveryEmail }),
        ],
      },
      { button: t('Open {realm}', { realm }), url },
      { heading: t('First steps') },
      {
        items: [
          t('Add a picture in your settings, so that people recognize you.'),
          t('Browse the channels, and join the ones you want to follow.'),
          t('Say hello: choose a channel, name a topic, and send a message.'),
        ],
      },
      t('The help pages explain each step:'),
      { button: t('Open help'), url: `${url}/help` },
    ],
  }))
}
