import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { t } from '../../../text/t.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { TextField } from '../../../ui/fields/field.tsx'
import type { Linkifier } from './linkifier.ts'

/** An example of a pattern and a URL template. It is the same in every language. */
const EXAMPLE_PATTERN = '#(?P<number>[0-9]+)'
const EXAMPLE_TEMPLATE = 'https://example.com/issues/{number}'

/** Returns the field that an error is about; null if it is about neither. */
function fieldOf(refusal: string): 'pattern' | 'template' | null {
  if (/regular expression|in linkifier pattern is|already exists/.test(refusal)) return 'pattern'
  return /URL template/.test(refusal) ? 'template' : null
}

/** Adds a linkifier, or edits the given one. */
export function LinkifierDialog({ rule, onClose }: { rule: Linkifier | null; onClose: () => void }): ReactNode {
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
          maxLength={1000}
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
          maxLength={1000}
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
