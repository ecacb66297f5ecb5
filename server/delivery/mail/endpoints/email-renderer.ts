import type { KeyObject } from 'node:crypto'
import type { Settings } from '../../../config.ts'
import { signUpTemplates } from '../../../invitations/joining/sign-up-template.ts'
import { invitationTemplates } from '../../../invitations/templates.ts'
import { digestTemplates } from '../../../messages/digests/digest-template.ts'
import { missedMessagesTemplates } from '../../../messages/notifications/missed-messages-template.ts'
import { accountListTemplates } from '../../../people/accounts/request-account-lists.ts'
import { accountEmailTemplates } from '../../../people/users/email-templates.ts'
import type { Clock } from '../../../platform/runtime/clock.ts'
import type { EmailRenderer } from '../email-message.ts'

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
