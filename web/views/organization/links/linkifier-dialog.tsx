import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../../api/call.ts'
import { toAppError } from '../../../store/app-error.ts'
import { Dialog } from '../../../ui/dialog/dialog.tsx'
import { DialogForm } from '../../../ui/dialog/dialog-form.tsx'
import { ErrorNotice } from '../../../ui/feedback/error-notice.tsx'
import { showToast } from '../../../ui/feedback/toasts.ts'
import { TextField } from '../../../ui/fields/field.tsx'
import type { Linkifier } from './linkifier.ts'

/** Which field a refusal is about; null when it is about neither. */
function fieldOf(refusal: string): 'pattern' | 'template' | null {
  if (/regular expression|in linkifier pattern is|already exists/.test(refusal)) return 'pattern'
  return /URL template/.test(refusal) ? 'template' : null
}

/** Adds a rule, or changes the one that is given. */
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
      showToast(rule === null ? 'The rule is added' : 'The rule is changed')
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
    <Dialog title={rule === null ? 'Add a rule' : 'Change the rule'} isOpen onClose={onClose}>
      <DialogForm action={rule === null ? 'Add it' : 'Save'} isPending={isPending} onSubmit={submit} onCancel={onClose}>
        {refusal !== null && refused === null && <ErrorNotice title="The rule was not saved" trouble={refusal} />}
        <TextField
          label="Text that becomes a link"
          autoComplete="off"
          spellCheck="false"
          autoFocus
          maxLength={1000}
          placeholder="#(?P<number>[0-9]+)"
          value={pattern}
          error={missing(pattern, 'Say which text.') ?? refusalOf('pattern')}
          description="A regular expression, as RE2 knows them, its parts named: (?P<number>[0-9]+)."
          onChange={(value) => {
            setPattern(value)
            reset()
          }}
        />
        <TextField
          label="Where the link leads"
          autoComplete="off"
          spellCheck="false"
          maxLength={1000}
          placeholder="https://example.com/issues/{number}"
          value={template}
          error={missing(template, 'Say where it leads.') ?? refusalOf('template')}
          description="An address with the names of these parts in braces."
          onChange={(value) => {
            setTemplate(value)
            reset()
          }}
        />
      </DialogForm>
    </Dialog>
  )
}
