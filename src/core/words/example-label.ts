/** What a person does with the example of a problem: writes it, or writes something of that form. */
export function exampleLabel({ sample }: { readonly sample?: true | undefined }): string {
  return sample === true ? "as in" : "write";
}
