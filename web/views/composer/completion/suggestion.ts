import type { ReactNode } from 'react'
import type { WidgetKind } from '../widgets/widget-text.ts'

/** An entry of a completion list. */
export type Suggestion = {
  readonly key: string
  readonly label: string
  /** A short text at the end of the row. */
  readonly detail?: string
  readonly icon?: ReactNode
  /** The text that replaces the token; omitted if choosing the suggestion does something else. */
  readonly insert?: string
  /** The text that replaces the token when the user presses `>` to continue with a topic. */
  readonly continued?: string
  /** True if choosing the suggestion opens the date picker instead of inserting text. */
  readonly opensDates?: boolean
  /** The dialog that choosing the suggestion opens, if the editor has it; otherwise `insert` is inserted. */
  readonly opensWidget?: WidgetKind
}
