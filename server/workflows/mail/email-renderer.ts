import type { KeyObject } from 'node:crypto'
import { accountListTemplates } from '#accounts/request-account-lists.ts'
import type { Settings } from '#config.ts'
import { invitationTemplates } from '#invitations/templates.ts'
import type { Clock } from '#lib/runtime/clock.ts'
import type { EmailRenderer } from '#mail/email-message.ts'
import { digestTemplates } from '#notifications/digests/digest-template.ts'
import { missedMessagesTemplates } from '#notifications/missed/missed-messages-template.ts'
import { accountEmailTemplates } from '#people/users/email-templates.ts'
import { signUpTemplates } from '../joining/sign-up-template.ts'

export function emailRenderer(secret: KeyObject, settings: Settings, clock: Clock): EmailRenderer {
  return {
    templates: {
      ...invitationTemplates(secret),
      ...signUpTemplates(secret),
      ...accountEmailTemplates(secret),
      ...accountListTemplates,
      ...missedMessagesTemplates(secret),
      ...digestTemplates(secret, clock),
    },
    sender: { productName: 'Parley', noReplyAddress: settings.MAIL_FROM, tokenizedNoReply: true },
  }
}
