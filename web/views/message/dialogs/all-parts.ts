import type { ComponentType } from 'react'
import { ReactionPicker } from '../reactions/reaction-picker.tsx'
import { ReactionsDialog } from '../reactions/reactions-dialog.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditForm } from './edit-form.tsx'
import { ForwardDialog } from './forward-dialog.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'
import type { Part, PartProps } from './part.ts'
import { ReadersDialog } from './readers-dialog.tsx'
import { ReminderMenu } from './reminder-menu.tsx'
import { SenderDialog } from './sender-dialog.tsx'
import { SourceDialog } from './source-dialog.tsx'

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
