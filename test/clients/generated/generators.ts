import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

const CACHE = path.join(import.meta.dirname, '../../../.cache/generated-clients')
const PROGRAMS = path.join(import.meta.dirname, 'programs')

/** The time limit of one command, in milliseconds. Go compiles the generator from source. */
const MAX_COMMAND_TIME = 600_000

const execute = promisify(execFile)

type Run = (command: string, args: readonly string[], cwd: string, env?: NodeJS.ProcessEnv) => Promise<string>

/** Runs a command and returns its output. If it fails, the error quotes the last lines. */
export const run: Run = async (command, args, cwd, env = {}) => {
  const options = { cwd, env: { ...process.env, ...env }, timeout: MAX_COMMAND_TIME, maxBuffer: 64 * 2 ** 20 }
  try {
    return (await execute(command, args, options)).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    const lines = `${stdout}\n${stderr}`.trim().split('\n').slice(-20).join('\n')
    throw new Error(`${command} ${args.join(' ')} failed: ${lines || message}`)
  }
}

/** A client generator. `tools` is the folder where it is installed, and `work` contains the document `openapi.json`. */
export type Generator = {
  readonly name: string
  /** The package with its version. Each version is installed once. */
  readonly packages: readonly string[]
  install(tools: string, packages: readonly string[]): Promise<unknown>
  /** Generates and compiles the client; returns the command that runs the four operations with it. */
  build(tools: string, work: string): Promise<{ command: string; args: readonly string[] }>
}

/** Installs a generator unless an earlier run did. Returns its folder, or the reason why that failed. */
export async function openGenerator(generator: Generator): Promise<{ tools: string; missing: string | false }> {
  const tools = path.join(CACHE, generator.packages.join('_').replace(/[^\w.-]+/g, '-'))
  const complete = path.join(tools, 'complete')
  if (existsSync(complete)) return { tools, missing: false }
  await rm(tools, { recursive: true, force: true })
  await mkdir(tools, { recursive: true })
  try {
    await generator.install(tools, generator.packages)
    await writeFile(complete, '')
    return { tools, missing: false }
  } catch (error) {
    return { tools, missing: `${generator.name} could not be installed: ${(error as Error).message}` }
  }
}

async function installFromNpm(tools: string, packages: readonly string[]): Promise<void> {
  await writeFile(path.join(tools, 'package.json'), '{"private":true,"type":"module"}')
  await run('npm', ['install', '--no-audit', '--no-fund', '--save-exact', ...packages], tools)
}

async function installFromPyPi(tools: string, packages: readonly string[]): Promise<void> {
  await run('python3', ['-m', 'venv', 'venv'], tools)
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check']
  await run(path.join(tools, 'venv/bin/python'), [...pip, ...packages], tools)
}

/** Compiles `main.ts` and its imports in strict mode. */
async function compileTypeScript(work: string, nodeModules: string, program: string) {
  await symlink(nodeModules, path.join(work, 'node_modules'))
  await writeFile(path.join(work, 'package.json'), '{"private":true,"type":"module"}')
  await cp(path.join(PROGRAMS, program), path.join(work, 'main.ts'))
  const target = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable']
  const resolution = ['--module', 'esnext', '--moduleResolution', 'bundler']
  const compiler = path.join(work, 'node_modules/typescript/bin/tsc')
  await run(process.execPath, [compiler, '--strict', ...target, ...resolution, '--outDir', 'out', 'main.ts'], work)
}

const openapiTypescript: Generator = {
  name: 'openapi-typescript with openapi-fetch',
  packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3'],
  install: installFromNpm,
  async build(tools, work) {
    const program = path.join(tools, 'node_modules/openapi-typescript/bin/cli.js')
    // Parameters with a default are optional.
    const options = ['--default-non-nullable=false', '--output', 'api.ts']
    await run(process.execPath, [program, 'openapi.json', ...options], work)
    await compileTypeScript(work, path.join(tools, 'node_modules'), 'openapi-fetch.ts.txt')
    return { command: process.execPath, args: ['out/main.js'] }
  },
}

const openapiPythonClient: Generator = {
  name: 'openapi-python-client',
  packages: ['openapi-python-client==0.29.1'],
  install: installFromPyPi,
  async build(tools, work) {
    const bin = path.join(tools, 'venv/bin')
    const output = ['--output-path', 'client', '--meta', 'none']
    const PATH = `${bin}:${process.env['PATH']}`
    await run(path.join(bin, 'openapi-python-client'), ['generate', '--path', 'openapi.json', ...output], work, {
      PATH,
    })
    await run(path.join(bin, 'python'), ['-m', 'compileall', '-q', 'client'], work)
    await cp(path.join(PROGRAMS, 'openapi_python_client.py'), path.join(work, 'main.py'))
    return { command: path.join(bin, 'python'), args: ['main.py'] }
  },
}

const oapiCodegen: Generator = {
  name: 'oapi-codegen',
  packages: ['github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2'],
  install: (tools, packages) => run('go', ['install', ...packages], tools, { GOBIN: path.join(tools, 'bin') }),
  async build(tools, work) {
    await mkdir(path.join(work, 'parley'))
    const output = ['-generate', 'types,client', '-package', 'parley', '-o', 'parley/parley.go']
    await run(path.join(tools, 'bin/oapi-codegen'), [...output, 'openapi.json'], work)
    await cp(path.join(PROGRAMS, 'oapi-codegen.go.txt'), path.join(work, 'main.go'))
    await run('go', ['mod', 'init', 'example.com/run'], work)
    await run('go', ['mod', 'tidy'], work)
    await run('go', ['build', '-o', 'main', '.'], work)
    await run('go', ['vet', './...'], work)
    return { command: path.join(work, 'main'), args: [] }
  },
}

const pypiOpenapiGenerator = {
  packages: ['openapi-generator-cli==7.26.0', 'urllib3==2.5.0', 'python-dateutil==2.9.0.post0', 'pydantic==2.11.7'],
  async install(tools: string, packages: readonly string[]): Promise<void> {
    await run('java', ['-version'], tools)
    await installFromPyPi(tools, packages)
  },
  async generate(tools: string, work: string, options: readonly string[]): Promise<void> {
    const input = ['generate', '-i', 'openapi.json', '--global-property', 'skipFormModel=false']
    await run(path.join(tools, 'venv/bin/openapi-generator-cli'), [...input, ...options], work)
  },
}

const openapiGeneratorPython: Generator = {
  name: 'openapi-generator for Python',
  packages: pypiOpenapiGenerator.packages,
  install: pypiOpenapiGenerator.install,
  async build(tools, work) {
    const python = path.join(tools, 'venv/bin/python')
    const options = ['-g', 'python', '-o', 'generated', '--additional-properties=packageName=client']
    await pypiOpenapiGenerator.generate(tools, work, options)
    await cp(path.join(work, 'generated/client'), path.join(work, 'client'), { recursive: true })
    await run(python, ['-m', 'compileall', '-q', 'client'], work)
    await cp(path.join(PROGRAMS, 'openapi_generator.py'), path.join(work, 'main.py'))
    return { command: python, args: ['main.py'] }
  },
}

const openapiGeneratorTypescript: Generator = {
  name: 'openapi-generator for typescript-fetch',
  packages: [...pypiOpenapiGenerator.packages, 'typescript@5.9.3'],
  async install(tools, packages) {
    const isFromNpm = (name: string) => name.startsWith('typescript@')
    await pypiOpenapiGenerator.install(
      tools,
      packages.filter((name) => !isFromNpm(name)),
    )
    await installFromNpm(tools, packages.filter(isFromNpm))
  },
  async build(tools, work) {
    const options = ['-g', 'typescript-fetch', '-o', 'client', '--additional-properties=importFileExtension=.js']
    await pypiOpenapiGenerator.generate(tools, work, options)
    await compileTypeScript(work, path.join(tools, 'node_modules'), 'typescript-fetch.ts.txt')
    return { command: process.execPath, args: ['out/main.js'] }
  },
}

/** Installs openapi-generator, if the commands that compile its clients exist. */
const installWith =
  (...commands: readonly (readonly string[])[]): Generator['install'] =>
  async (tools, packages) => {
    for (const [command = '', ...args] of commands) await run(command, args, tools)
    await pypiOpenapiGenerator.install(tools, packages)
  }

const withoutTests = ['--global-property', 'apiTests=false,modelTests=false']

const openapiGeneratorGo: Generator = {
  name: 'openapi-generator for Go',
  packages: pypiOpenapiGenerator.packages,
  install: installWith(['go', 'version']),
  async build(tools, work) {
    const options = ['-g', 'go', '-o', 'parley', '--additional-properties=packageName=parley,withGoMod=false']
    await pypiOpenapiGenerator.generate(tools, work, [...options, ...withoutTests])
    await cp(path.join(PROGRAMS, 'openapi-generator.go.txt'), path.join(work, 'main.go'))
    await run('go', ['mod', 'init', 'example.com/run'], work)
    await run('go', ['mod', 'tidy'], work)
    await run('go', ['build', '-o', 'main', '.'], work)
    return { command: path.join(work, 'main'), args: [] }
  },
}

const openapiGeneratorJava: Generator = {
  name: 'openapi-generator for Java',
  packages: pypiOpenapiGenerator.packages,
  install: installWith(['mvn', '--version'], ['javac', '-version']),
  async build(tools, work) {
    await pypiOpenapiGenerator.generate(tools, work, ['-g', 'java', '-o', '.', ...withoutTests])
    await cp(path.join(PROGRAMS, 'OpenapiGenerator.java.txt'), path.join(work, 'src/main/java/Main.java'))
    const paths = ['dependency:build-classpath', '-Dmdep.outputFile=classpath.txt']
    await run('mvn', ['--quiet', '--batch-mode', 'compile', ...paths], work)
    const libraries = await readFile(path.join(work, 'classpath.txt'), 'utf8')
    return { command: 'java', args: ['-cp', `target/classes:${libraries}`, 'Main'] }
  },
}

export const generators: readonly Generator[] = [
  openapiTypescript,
  openapiPythonClient,
  oapiCodegen,
  openapiGeneratorPython,
  openapiGeneratorTypescript,
  openapiGeneratorGo,
  openapiGeneratorJava,
]
