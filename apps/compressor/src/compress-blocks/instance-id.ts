/** The name of this process, under which others put questions to it alone. */
export const instanceIdToken = Symbol('instance id');
