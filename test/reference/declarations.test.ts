import assert from 'node:assert/strict'
import test from 'node:test'
import { z } from 'zod'
import { api } from '#api.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { deliberateDeclarations, isOurOwn, ownRoutes } from './deliberate.ts'
import { findAnswerSchema, findOperation, noReferenceSchemas } from './document.ts'
import { type AnySchema, outlineDifferences, outlineOf } from './outline.ts'
import { declaredParameters, documentedParameters, parameterDifferences } from './parameters.ts'

/** The endpoints that the reference server documents, with their names in its documentation. */
const documented = noReferenceSchemas
  ? []
  : api
      .map((endpoint) => ({ endpoint, route: `${endpoint.method} ${endpoint.path}` }))
      .filter(({ route }) => findOperation(route) !== null)

function answerDifferences(endpoint: Endpoint, route: string): string[] {
  const theirs = findAnswerSchema(route, 200)
  return theirs === null ? [] : outlineDifferences(outlineOf(theirs), outlineOf(answerSchema(endpoint)))
}

function answerSchema(endpoint: Endpoint): AnySchema {
  const answer = z.object({
    result: z.literal('success'),
    msg: z.string(),
    ...endpoint.returns,
    ignored_parameters_unsupported: z.array(z.string()).optional(),
  })
  return z.toJSONSchema(answer, { io: 'output', unrepresentable: 'any' }) as AnySchema
}

test('endpoints are declared as the reference server documents them', { skip: noReferenceSchemas }, () => {
  const differences = documented.flatMap(({ endpoint, route }) => [
    ...answerDifferences(endpoint, route).map((difference) => `${route} ${difference}`),
    ...parameterDifferences(documentedParameters(route), declaredParameters(endpoint)).map(
      (difference) => `${route} ${difference}`,
    ),
  ])

  const undeclared = differences.filter((difference) => !deliberateDeclarations.includes(difference))
  assert.deepEqual(undeclared, [], 'fix them, or list them in test/reference/deliberate.ts with the reason')
  const gone = deliberateDeclarations.filter((difference) => !differences.includes(difference))
  assert.deepEqual(gone, [], 'these no longer differ: remove them from test/reference/deliberate.ts')
})

test('operations that the reference server lacks are listed and exist', { skip: noReferenceSchemas }, () => {
  const routes = api.map(({ method, path }) => `${method} ${path}`)

  assert.deepEqual(
    routes.filter((route) => findOperation(route) === null && !isOurOwn(route)),
    [],
    'the reference has another name for them, or test/reference/deliberate.ts must list them',
  )
  assert.deepEqual(
    ownRoutes.filter((route) => !routes.includes(route)),
    [],
  )
})
