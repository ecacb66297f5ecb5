import { removeMessage } from './endpoints/delete-message.ts'
import { postFlags } from './endpoints/flags.ts'
import { getMessage } from './endpoints/get-message.ts'
import { getMessageHistory } from './endpoints/get-message-history.ts'
import { postMarkAllAsRead, postMarkStreamAsRead, postMarkTopicAsRead } from './endpoints/mark-read.ts'
import { deleteReaction, postReaction } from './endpoints/reactions.ts'
import { renderMessage } from './endpoints/render.ts'
import { sendMessage } from './endpoints/send-message.ts'
import { postSubmessage } from './endpoints/submessage.ts'
import { updateMessage } from './endpoints/update-message.ts'

export const messageEndpoints = [
  getMessage,
  sendMessage,
  updateMessage,
  removeMessage,
  getMessageHistory,
  postReaction,
  deleteReaction,
  postSubmessage,
  postFlags,
  postMarkAllAsRead,
  postMarkStreamAsRead,
  postMarkTopicAsRead,
  renderMessage,
]
