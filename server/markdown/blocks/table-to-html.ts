import type { RenderContext } from '../context.ts'
import { element, joinMarkup, type Markup, newline, type Tag } from '../markup.ts'
import { inlineWithLaterPreviews } from './paragraph-to-html.ts'
import type { Alignment } from './table-rows.ts'
import type { Table } from './tree.ts'

/**
 * Renders each row with as many cells as the header, however many were typed. Clients expect at least one row, even if
 * its cells are empty.
 */
export function tableToHtml({ rows: [header = [], ...rows], alignments }: Table, context: RenderContext): Markup {
  const head = rowToHtml('th', header, alignments, context)
  const body =
    rows.length === 0
      ? [
          rowToHtml(
            'td',
            [],
            alignments.map(() => null),
            context,
          ),
        ]
      : rows.map((row) => rowToHtml('td', row, alignments, context))
  return lines('table', [lines('thead', [head]), lines('tbody', body)])
}

function rowToHtml(
  tag: 'th' | 'td',
  cells: readonly string[],
  alignments: readonly Alignment[],
  context: RenderContext,
): Markup {
  const written = alignments.map((alignment, index) => {
    const attributes = alignment === null ? {} : { style: `text-align: ${alignment};` }
    return element(tag, attributes, inlineWithLaterPreviews(cells[index] ?? '', context))
  })
  return lines('tr', written)
}

/** Writes each part on its own line. */
function lines(tag: Tag, parts: readonly Markup[]): Markup {
  return element(tag, {}, joinMarkup(newline, ...parts.flatMap((part) => [part, newline])))
}
