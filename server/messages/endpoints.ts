import { removeMessage } from './endpoints/delete-message.ts'
import { removeTopic } from './endpoints/delete-topic.ts'
import { postFlags } from './endpoints/flags.ts'
import { postFlagsInNarrow } from './endpoints/flags-in-narrow.ts'
import { getMessage } from './endpoints/get-message.ts'
import { getMessageHistory } from './endpoints/get-message-history.ts'
import { getMessages } from './endpoints/list-messages.ts'
import { postMarkAllAsRead, postMarkStreamAsRead, postMarkTopicAsRead } from './endpoints/mark-read.ts'
import { getMatchesNarrow } from './endpoints/matches-narrow.ts'
import { deleteReaction, postReaction } from './endpoints/reactions.ts'
import { getReadReceipts } from './endpoints/read-receipts.ts'
import { renderMessage } from './endpoints/render.ts'
import { sendMessage } from './endpoints/send-message.ts'
import { postSubmessage } from './endpoints/submessage.ts'
import { updateMessage } from './endpoints/update-message.ts'
import type { RerenderJob } from './rerendering/rerender-job.ts'

export const messageEndpoints = [
  getMessages,
  getMatchesNarrow,
  getMessage,
  sendMessage,
  updateMessage,
  removeMessage,
  removeTopic,
  getMessageHistory,
  getReadReceipts,
  postReaction,
  deleteReaction,
  postSubmessage,
  postFlags,
  postFlagsInNarrow,
  postMarkAllAsRead,
  postMarkStreamAsRead,
  postMarkTopicAsRead,
  renderMessage,
]

declare module '#http/endpoint.ts' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: it extends the interface of that file
  interface Services {
    rerenderJob: RerenderJob
  }
}
