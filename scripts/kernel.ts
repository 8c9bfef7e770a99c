/** `npm run kernel`: assembles src/engines/local/kernel/kernel.wat into kernel-wasm.ts; a test compares the two. */
import { join } from 'node:path'
import { assembled, KERNEL, kernelFile } from '../src/engines/local/testing/kernel.ts'
import { writeFileAtomic } from '../src/store/index.ts'

writeFileAtomic(join(KERNEL, 'kernel-wasm.ts'), kernelFile(await assembled()))
