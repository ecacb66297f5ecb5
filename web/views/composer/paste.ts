import type { ClipboardEvent } from 'react'
import { markdownFromHtml } from './from-html.ts'
import { applyEdit, selectionOf } from './text-area.ts'

/** Pastes formatted text as Markdown; returns false if the browser should paste as usual. */
export function pasteFormatted({ clipboardData, target }: ClipboardEvent): boolean {
  if (!(target instanceof HTMLTextAreaElement)) return false
  // Code editors copy colored text, which is meant as plain text.
  if (clipboardData.types.includes('vscode-editor-data')) return false
  const { text, start, end } = selectionOf(target)
  if (isInCode(text.slice(0, start))) return false
  const markdown = markdownFromHtml(clipboardData.getData('text/html'))
  if (markdown === null || markdown === '') return false
  const after = start + markdown.length
  applyEdit(target, { from: start, to: end, text: markdown, selected: [after, after] })
  return true
}

const isInCode = (before: string): boolean => (before.match(/^(?:```|~~~)/gm) ?? []).length % 2 === 1
