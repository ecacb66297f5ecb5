import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components/Tabs'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import { messageSource, type Source } from '../../messages/message-source.ts'
import { toAppError } from '../../store/app-error.ts'
import { t } from '../../text/t.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CheckboxField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Loading } from '../../ui/page-states.tsx'
import * as tabsCss from '../../ui/tabs.module.css'
import type { PartProps } from './part.ts'
import * as css from './parts.module.css'

/** The source of a message in three forms: rendered, as Markdown, and as the API returns it. */
export function SourceDialog({ message, onClose }: PartProps): ReactNode {
  const { data, error, refetch } = useQuery(messageSource(message))
  return (
    <Dialog title={t('Message source')} size="large" isOpen onClose={onClose}>
      {data === undefined ? (
        <div className="dialog-body">
          {error === null ? (
            <Loading label={t('Loading source')} />
          ) : (
            <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />
          )}
        </div>
      ) : (
        <SourceTabs source={data} />
      )}
    </Dialog>
  )
}

type Form = 'rendered' | 'markdown' | 'json'

function SourceTabs({ source: { message, raw_content } }: { source: Source }): ReactNode {
  const [form, setForm] = useState<Form>('markdown')
  const [wraps, setWraps] = useState(true)
  const texts = { rendered: message.content, markdown: raw_content, json: JSON.stringify(message, null, 2) }
  const lines = texts[form].split('\n').length
  const plain = (
    <textarea
      className={css.sourceText}
      aria-label={t('Source, {form}', { form })}
      readOnly
      wrap={wraps ? 'soft' : 'off'}
      dir="auto"
      value={texts[form]}
    />
  )
  return (
    <>
      <div className="dialog-body">
        <Tabs selectedKey={form} onSelectionChange={(key) => setForm(key as Form)}>
          <TabList className={tabsCss.tabList} aria-label={t('Source format')}>
            <Tab className={tabsCss.tab} id="rendered">
              {t('Rendered')}
            </Tab>
            <Tab className={tabsCss.tab} id="markdown">
              {t('Markdown')}
            </Tab>
            <Tab className={tabsCss.tab} id="json">
              {t('JSON')}
            </Tab>
          </TabList>
          <TabPanel className={css.sourcePanel} id="rendered">
            <div className={css.partMessage}>
              <RenderedContent html={message.content} />
            </div>
            {plain}
          </TabPanel>
          <TabPanel className={css.sourcePanel} id="markdown">
            {plain}
          </TabPanel>
          <TabPanel className={css.sourcePanel} id="json">
            {plain}
          </TabPanel>
        </Tabs>
      </div>
      <DialogActions>
        <div className={css.sourceOptions}>
          <CheckboxField isSelected={wraps} onChange={setWraps}>
            {t('Wrap long lines')}
          </CheckboxField>
          <span className="soft small">{t('{lines, plural, one {# line} other {# lines}}', { lines })}</span>
        </div>
        <CopyButton autoFocus text={texts[form]}>
          {t('Copy all')}
        </CopyButton>
      </DialogActions>
    </>
  )
}
