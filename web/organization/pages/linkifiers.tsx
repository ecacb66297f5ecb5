import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import Link2 from 'lucide-react/icons/link-2'
import Plus from 'lucide-react/icons/plus'
import { type ReactNode, useDeferredValue, useRef, useState } from 'react'
import { MAX_LENGTH } from '#rules/shared-limits.ts'
import { call } from '../../api/call.ts'
import * as settingsCss from '../../forms/settings.module.css'
import { RenderedContent } from '../../message-view/rendered-content.tsx'
import { toAppError } from '../../store/app-error.ts'
import { type Organization, useOrganization } from '../../store/organization.ts'
import { t } from '../../text/t.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogForm } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { Empty } from '../../ui/page-states.tsx'
import { RowMenu } from '../../ui/row-menu.tsx'
import { showToast } from '../../ui/toasts.ts'
import { ConfirmRemovalDialog, moveItem } from './editable-list.tsx'
import * as css from './linkifiers.module.css'

/** An example of a pattern and a URL template. It is the same in every language. */
const EXAMPLE_PATTERN = '#(?P<number>[0-9]+)'
const EXAMPLE_TEMPLATE = 'https://example.com/issues/{number}'

/** Returns the field that an error is about; null if it is about neither. */
function fieldOf(refusal: string): 'pattern' | 'template' | null {
  if (/regular expression|in linkifier pattern is|already exists/.test(refusal)) return 'pattern'
  return /URL template/.test(refusal) ? 'template' : null
}

/** Adds a linkifier, or edits the given one. */
function LinkifierDialog({ rule, onClose }: { rule: Linkifier | null; onClose: () => void }): ReactNode {
  const [pattern, setPattern] = useState(rule?.pattern ?? '')
  const [template, setTemplate] = useState(rule?.url_template ?? '')
  const [isChecked, setChecked] = useState(false)
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: () => {
      const given = { pattern: pattern.trim(), url_template: template.trim() }
      return rule === null
        ? call('POST /realm/filters', given)
        : call('PATCH /realm/filters/{filter_id}', { filter_id: rule.id, ...given })
    },
    onSuccess() {
      showToast(rule === null ? t('Linkifier added') : t('Linkifier saved'))
      onClose()
    },
  })
  const refusal = error === null ? null : toAppError(error)
  const refused = refusal === null ? null : fieldOf(refusal.message)
  const missing = (value: string, message: string) => (isChecked && value.trim() === '' ? message : null)
  const refusalOf = (field: typeof refused) => (refused === field ? (refusal?.message ?? null) : null)

  function submit() {
    setChecked(true)
    if (pattern.trim() !== '' && template.trim() !== '') mutate()
  }

  return (
    <Dialog title={rule === null ? t('Add linkifier') : t('Edit linkifier')} isOpen onClose={onClose}>
      <DialogForm
        action={rule === null ? t('Add linkifier') : t('Save')}
        isPending={isPending}
        onSubmit={submit}
        onCancel={onClose}
      >
        {refusal !== null && refused === null && (
          <ErrorNotice title={t('Couldn’t save the linkifier')} error={refusal} />
        )}
        <TextField
          label={t('Pattern')}
          autoComplete="off"
          spellCheck="false"
          autoFocus
          maxLength={MAX_LENGTH.linkifier}
          placeholder={EXAMPLE_PATTERN}
          value={pattern}
          error={missing(pattern, t('Enter a pattern.')) ?? refusalOf('pattern')}
          description={t('An RE2 regular expression with named groups, such as {example}', {
            example: EXAMPLE_PATTERN,
          })}
          onChange={(value) => {
            setPattern(value)
            reset()
          }}
        />
        <TextField
          label={t('URL template')}
          autoComplete="off"
          spellCheck="false"
          maxLength={MAX_LENGTH.linkifier}
          placeholder={EXAMPLE_TEMPLATE}
          value={template}
          error={missing(template, t('Enter a URL template.')) ?? refusalOf('template')}
          description={t('A URL with the group names in braces.')}
          onChange={(value) => {
            setTemplate(value)
            reset()
          }}
        />
      </DialogForm>
    </Dialog>
  )
}

/** Shows how the server renders text with the current linkifiers. */
function LinkifierTest({ rules }: { rules: readonly Linkifier[] }): ReactNode {
  const [text, setText] = useState('')
  const tried = useDeferredValue(text.trim())
  const { data, error, refetch } = useQuery({
    queryKey: ['try-links', tried, rules],
    queryFn: ({ signal }) => call('POST /messages/render', { content: tried }, { signal }),
    enabled: tried !== '',
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  return (
    <section className={settingsCss.settingsForm} aria-label={t('Test linkifiers')}>
      <TextField
        label={t('Sample text')}
        description={t('Shows how the text looks in a message. Nothing is sent.')}
        autoComplete="off"
        maxLength={1000}
        value={text}
        onChange={setText}
      />
      <div aria-live="polite">
        {error !== null && <ErrorNotice error={toAppError(error)} onRetry={() => void refetch()} />}
        {tried !== '' && data !== undefined && <RenderedContent html={data.rendered} />}
      </div>
    </section>
  )
}

type Linkifier = Organization['realm_linkifiers'][number]

type Opened = { act: 'add' } | { act: 'change' | 'remove'; rule: Linkifier }

/** The list of linkifiers in the order in which they are tried. The first match applies. */
export function Linkifiers(): ReactNode {
  const { realm_linkifiers: rules } = useOrganization('realm_linkifiers')
  const [opened, setOpened] = useState<Opened | null>(null)
  const section = useRef<HTMLElement>(null)
  const ordering = useMutation({
    mutationFn: (ordered_linkifier_ids: number[]) => call('PATCH /realm/linkifiers', { ordered_linkifier_ids }),
  })
  const ids = rules.map(({ id }) => id)
  const actsOn = (rule: Linkifier, at: number) => [
    { label: t('Edit'), run: () => setOpened({ act: 'change', rule }) },
    ...(at > 0 ? [{ label: t('Move up'), run: () => ordering.mutate(moveItem(ids, at, -1)) }] : []),
    ...(at < ids.length - 1 ? [{ label: t('Move down'), run: () => ordering.mutate(moveItem(ids, at, 1)) }] : []),
    { label: t('Remove'), run: () => setOpened({ act: 'remove', rule }), isDanger: true },
  ]

  return (
    <div className="stack">
      <section ref={section} className={settingsCss.settingsList} aria-label={t('Links')} tabIndex={-1}>
        <div>
          <Button
            kind="primary"
            icon={<Plus className="icon" aria-hidden="true" />}
            onPress={() => setOpened({ act: 'add' })}
          >
            {t('Add linkifier')}
          </Button>
        </div>
        {ordering.error !== null && (
          <ErrorNotice title={t('Couldn’t save the order')} error={toAppError(ordering.error)} />
        )}
        {rules.length === 0 ? (
          <Empty icon={<Link2 />} title={t('No linkifiers yet')}>
            <p>{t('Only URLs become links. Add a linkifier to link issue numbers, orders or tickets.')}</p>
          </Empty>
        ) : (
          <ol className={css.linkRules} aria-label={t('Linkifiers')}>
            {rules.map((rule, at) => (
              <li key={rule.id}>
                <span className={css.linkRule}>
                  <code>{rule.pattern}</code>
                  <span className="soft small">{rule.url_template}</span>
                </span>
                <RowMenu label={t('Actions for {pattern}', { pattern: rule.pattern })} items={actsOn(rule, at)} />
              </li>
            ))}
          </ol>
        )}
      </section>
      {rules.length > 0 && <LinkifierTest rules={rules} />}
      {opened?.act === 'add' && <LinkifierDialog rule={null} onClose={() => setOpened(null)} />}
      {opened?.act === 'change' && <LinkifierDialog rule={opened.rule} onClose={() => setOpened(null)} />}
      {opened?.act === 'remove' && (
        <ConfirmRemovalDialog
          name={opened.rule.pattern}
          remove={() => call('DELETE /realm/filters/{filter_id}', { filter_id: opened.rule.id })}
          onClose={() => {
            setOpened(null)
            // The menu that opened the dialog may have been removed.
            requestAnimationFrame(() => section.current?.focus())
          }}
        >
          {t('Existing messages keep their links.')}
        </ConfirmRemovalDialog>
      )}
    </div>
  )
}
