import { useMutation } from '@tanstack/react-query'
import type { ComponentType, ReactNode } from 'react'
import { call } from '../../api/call.ts'
import { EmojiPopover } from '../../emoji/emoji-popover.tsx'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import { PersonCard } from '../../people/person-card.tsx'
import { toAppError } from '../../store/app-error.ts'
import { useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { showToast } from '../../ui/toasts.ts'
import { toggleReaction } from '../message/react.ts'
import { EditForm } from './edit-form.tsx'
import { ForwardDialog } from './forward-dialog.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'
import type { Part, PartProps } from './part.ts'
import * as css from './parts.module.css'
import { ReactionsDialog, ReadersDialog } from './people-dialogs.tsx'
import { ReminderMenu } from './reminder-menu.tsx'
import { SourceDialog } from './source-dialog.tsx'

export function ReactionPicker({ message, trigger, onClose }: PartProps): ReactNode {
  const { user_id } = useOrganization('user_id')
  return (
    <EmojiPopover
      label={t('Add reaction')}
      hint={t('Enter adds a reaction, Shift+Enter adds several')}
      trigger={trigger}
      onChoose={(emoji, wantsMore) => {
        void toggleReaction(message, emoji, user_id)
        if (!wantsMore) onClose()
      }}
      onClose={onClose}
    />
  )
}

/** Asks before a message is deleted. */
export function DeleteDialog({ message, onClose }: PartProps): ReactNode {
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('DELETE /messages/{message_id}', { message_id: message.id }),
    onSuccess() {
      showToast(t('Message deleted'))
      onClose()
    },
  })
  return (
    <Dialog title={t('Delete this message?')} role="alertdialog" isOpen onClose={onClose}>
      <div className="dialog-body">
        {error !== null && <ErrorNotice title={t('Couldn’t delete the message')} error={toAppError(error)} />}
        <p>{t('It’s permanently deleted for everyone, with its reactions and edit history. You can’t undo this.')}</p>
        <blockquote className={`${css.partMessage} ${css.partExcerpt}`}>
          <RenderedContent html={message.content} />
        </blockquote>
      </div>
      <DialogActions>
        <Button autoFocus onPress={onClose}>
          {t('Cancel')}
        </Button>
        <Button kind="danger" isPending={isPending} onPress={() => mutate()}>
          {t('Delete')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** The card of a message's sender. It opens beside the sender's picture if the row shows one. */
export function SenderDialog({ message, trigger, onClose }: PartProps): ReactNode {
  const row = trigger.current?.closest('[data-message]')
  const beside = row?.querySelector('.message-avatar') ?? trigger.current ?? document.body
  return <PersonCard userId={message.sender_id} trigger={beside} onClose={onClose} />
}

/** All dialogs and forms of message actions, loaded together. */
export const ALL_PARTS: Readonly<Record<Part, ComponentType<PartProps>>> = {
  person: SenderDialog,
  react: ReactionPicker,
  source: SourceDialog,
  history: HistoryDialog,
  reactions: ReactionsDialog,
  readers: ReadersDialog,
  edit: EditForm,
  forward: ForwardDialog,
  move: MoveDialog,
  remind: ReminderMenu,
  delete: DeleteDialog,
}
