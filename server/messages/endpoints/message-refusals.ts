import { messageEmpty, messageHoldsNull } from '../content/content.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../content/mentions.ts'
import { unableToRender } from '../content/render-content.ts'
import * as directAccess from '../direct-access.ts'
import { invalidUserId, noRecipients } from '../sending/direct-recipients.ts'
import { mayNotPost, noChannelOfId, noChannelOfName, notAuthorizedToSend } from '../sending/send-access.ts'
import { topicCharacter } from '../topic.ts'
import { topicsRequired } from '../topic-access.ts'

/** Why a message that is addressed by ids may be refused, be it to be sent now or later. */
export const messageRefusals = [
  unableToRender,
  topicCharacter,
  topicsRequired,
  messageEmpty,
  messageHoldsNull,
  noChannelOfId,
  noChannelOfName,
  notAuthorizedToSend,
  mayNotPost,
  mayNotMentionChannel,
  mayNotMentionTopic,
  mayNotMentionGroup,
  noRecipients,
  invalidUserId,
  directAccess.recipientDeactivated,
  directAccess.recipientUnknown,
  directAccess.directMessagesDisabled,
  directAccess.nobodyAuthorizes,
  directAccess.mayNotInitiate,
]
