import { topicCharacter } from '#channels/topic.ts'
import { messageContainsNull, messageEmpty } from '../content/content.ts'
import { mayNotMentionChannel, mayNotMentionGroup, mayNotMentionTopic } from '../content/mention-access.ts'
import { unableToRender } from '../content/render-content.ts'
import * as directAccess from '../direct-access.ts'
import { invalidUserId, noRecipients } from '../sending/direct-recipients.ts'
import { mayNotPost, noChannelNamed, noChannelWithId, notAuthorizedToSend } from '../sending/send-access.ts'
import { topicsRequired } from '../topic-access.ts'

/** The refusals that sending and scheduling have in common if the channel or the users are given by ids. */
export const messageRefusals = [
  unableToRender,
  topicCharacter,
  topicsRequired,
  messageEmpty,
  messageContainsNull,
  noChannelWithId,
  noChannelNamed,
  notAuthorizedToSend,
  mayNotPost,
  mayNotMentionChannel,
  mayNotMentionTopic,
  mayNotMentionGroup,
  noRecipients,
  invalidUserId,
  directAccess.recipientDeactivated,
  directAccess.recipientNotVisible,
  directAccess.directMessagesDisabled,
  directAccess.noAuthorizedParticipant,
  directAccess.mayNotInitiate,
]
