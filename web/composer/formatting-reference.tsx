import type { ReactNode } from 'react'
import { MessageContent } from '../message-html/message-content.tsx'
import { CONTENT_PARTS } from '../message-view/rendered-content.tsx'
import { t } from '../text/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { FORMAT_EXAMPLES } from './editor/formatting-examples.ts'
import * as css from './formatting-reference.module.css'

/** A table of the syntax of messages, with an example of each format. */
export function FormattingReference({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title={t('Formatting reference')} size="large" isOpen onClose={onClose}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, which must also work by keyboard */}
      <section className="dialog-body" tabIndex={0} aria-label={t('Formatting reference')}>
        <table className={css.formatTable}>
          <thead>
            <tr>
              <th scope="col">{t('Format')}</th>
              <th scope="col">{t('You type')}</th>
              <th scope="col">{t('You get')}</th>
            </tr>
          </thead>
          <tbody>
            {FORMAT_EXAMPLES.map(({ label, typed, html, about }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td>
                  <code>{typed}</code>
                </td>
                <td>
                  {html === undefined ? (
                    <span className="soft">{about}</span>
                  ) : (
                    <MessageContent html={html} parts={CONTENT_PARTS} />
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Dialog>
  )
}
