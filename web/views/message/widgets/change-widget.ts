import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { showChange } from '../../../store/messages/widgets/pending-change.ts'
import { currentOrganization } from '../../../store/organization.ts'
import { showToast } from '../../../ui/feedback/toasts.ts'

/** A change to a poll or to-do list in the form that all clients of the API understand. */
type WidgetChange =
  | { type: 'vote'; key: string; vote: 1 | -1 }
  | { type: 'question'; question: string }
  | { type: 'new_option'; idx: number; option: string }
  | { type: 'strike'; key: string }
  | { type: 'new_task'; key: number; task: string; desc: string; completed: false }
  | { type: 'new_task_list_title'; title: string }

/**
 * Shows a change immediately, and sends it. If sending fails, reverts the change, shows the error and returns false.
 */
export async function changeWidget(messageId: number, change: WidgetChange): Promise<boolean> {
  const content = JSON.stringify(change)
  const revert = showChange(messageId, currentOrganization()?.user_id ?? 0, content)
  try {
    await call('POST /submessage', { message_id: messageId, msg_type: 'widget', content })
    return true
  } catch (error) {
    revert()
    showToast(toAppError(error).message, { kind: 'error' })
    return false
  }
}
