import type { ClipboardEvent } from 'react'
import { toAppError } from '../../store/app-error.ts'
import { loadPart } from '../../ui/load-part.ts'
import { showToast } from '../../ui/toasts.ts'
import { insertion } from './formatting.ts'
import { applyEdit, selectionOf } from './text-area.ts'

const ADDRESS = /^https?:\/\/[^\s<>]+$/i

/** Pastes files as uploads, a URL over selected text as the link of that text, and formatted text as Markdown. */
export function paste(event: ClipboardEvent, addFiles: (files: Iterable<File>) => void): void {
  const { clipboardData, target } = event
  const { files, types } = clipboardData
  // Word processors add a picture of the text to the clipboard.
  if (files.length > 0 && !types.includes('text/plain')) {
    event.preventDefault()
    return addFiles([...files])
  }
  if (!(target instanceof HTMLTextAreaElement)) return
  const plain = clipboardData.getData('text/plain')
  const { text, start, end } = selectionOf(target)
  const selected = text.slice(start, end)
  if (ADDRESS.test(plain.trim()) && isLinkable(selected)) {
    event.preventDefault()
    return applyEdit(target, insertion(start, end, `[${selected.trim()}](${plain.trim()})`))
  }
  // Code editors copy colored text, which users want to paste as plain text.
  const html =
    types.includes('vscode-editor-data') || isInCode(text.slice(0, start)) ? '' : clipboardData.getData('text/html')
  if (!MAY_BE_FORMATTED.test(html)) return
  event.preventDefault()
  void pasteFormatted(target, html, plain)
}

const isLinkable = (text: string) => text.trim() !== '' && !/[\n[\]]/.test(text) && !ADDRESS.test(text.trim())

/** Tags that may look different from plain text. */
const MAY_BE_FORMATTED = /<(?:a|b|blockquote|code|del|em|h[1-6]|hr|i|kbd|li|ol|pre|s|samp|strike|strong|table|tt|ul)\b/i

/** Pastes formatted text as Markdown. The conversion is loaded at the first paste. */
async function pasteFormatted(area: HTMLTextAreaElement, html: string, plain: string): Promise<void> {
  let markdown: string | null = null
  try {
    const { markdownFromHtml } = await loadPart(() => import('./from-html.ts'))
    markdown = markdownFromHtml(html)
  } catch (error) {
    showToast(toAppError(error).message, { kind: 'error' })
  }
  const { start, end } = selectionOf(area)
  applyEdit(area, insertion(start, end, markdown || plain))
}

const isInCode = (before: string): boolean => (before.match(/^(?:```|~~~)/gm) ?? []).length % 2 === 1
