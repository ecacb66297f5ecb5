import type { ComponentType } from 'react'
import { DeleteDialog } from './delete-dialog.tsx'
import type { Part, PartProps } from './part.ts'
import { ReactionsDialog } from './reactions-dialog.tsx'
import { SourceDialog } from './source-dialog.tsx'

/** Everything that opens to do something with a message, loaded together. */
export const ALL_PARTS: Readonly<Record<Part, ComponentType<PartProps>>> = {
  source: SourceDialog,
  reactions: ReactionsDialog,
  delete: DeleteDialog,
}
