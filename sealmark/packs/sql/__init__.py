"""What packs about SQL share: which tools take a statement, how one is put into their arguments. It holds no check."""
