import type { ComponentType } from 'react'
import { DeleteDialog } from './delete-dialog.tsx'
import { EditForm } from './edit-form.tsx'
import { EmojiPicker } from './emoji-picker.tsx'
import { HistoryDialog } from './history-dialog.tsx'
import { MoveDialog } from './move-dialog.tsx'
import type { Part, PartProps } from './part.ts'
import { ReactionsDialog } from './reactions-dialog.tsx'
import { SourceDialog } from './source-dialog.tsx'

/** Everything that opens to do something with a message, loaded together. */
export const ALL_PARTS: Readonly<Record<Part, ComponentType<PartProps>>> = {
  react: EmojiPicker,
  source: SourceDialog,
  history: HistoryDialog,
  reactions: ReactionsDialog,
  edit: EditForm,
  move: MoveDialog,
  delete: DeleteDialog,
}
